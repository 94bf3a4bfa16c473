import { checkLesson, readLessons } from '#lab/course';

// both languages have the same commands: lessons.spec.ts; "npx lab lesson --check" runs all of them
test.each(readLessons('en'))('$id: its quick commands print what the lesson shows', async (lesson) => {
  const different: string[] = [];
  let run = 0;
  for await (const { command, differs } of checkLesson(lesson, { quick: true })) {
    run += 1;
    if (differs !== undefined) different.push(`${command.command}: ${differs}`);
  }
  expect(different).toEqual([]);
  expect(run).toBeGreaterThan(0);
});
