import type { Member } from '../../apps/console/src/classroom';
import { JobQueue, QueuedJob } from '../../apps/console/src/jobs/queue';

let queue: JobQueue;
let ends: (() => void)[];
beforeEach(() => {
  queue = new JobQueue();
  ends = [];
});
afterEach(async () => {
  const stopped = queue.stop();
  for (const end of ends) end();
  await stopped;
});

const student = (name: string): Member => ({ id: name, name, isTeacher: false });
const teacher: Member = { id: 'teacher', name: 'teacher', isTeacher: true };

/** Adds a job that ends with `ends`. */
function add(by: Member, title: string): void {
  const body = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
  queue.add(new QueuedJob({ kind: 'run', title, by }, body));
}

const titles = (): string[] => queue.jobs.map(({ about }) => about.title);

/** Lets the running job end, and the next one begin. */
async function runNext(): Promise<void> {
  const running = queue.jobs[0];
  ends.shift()?.();
  for (let i = 0; i < 20 && queue.jobs[0] === running; i++) await Promise.resolve();
}

test('the first job of each student runs before the second job of any student', async () => {
  const [ann, bob, eve] = ['ann', 'bob', 'eve'].map(student) as [Member, Member, Member];
  add(ann, 'ann 1');
  await runNext();
  add(ann, 'ann 2');
  add(ann, 'ann 3');
  add(bob, 'bob 1');
  add(bob, 'bob 2');
  add(eve, 'eve 1');
  expect(titles()).toEqual(['ann 1', 'bob 1', 'eve 1', 'ann 2', 'bob 2', 'ann 3']);
});

test('a waiting job of a student is overtaken by at most one job of each other student', async () => {
  const [ann, bob] = ['ann', 'bob'].map(student) as [Member, Member];
  add(ann, 'ann 1');
  await runNext();
  add(ann, 'ann 2');
  add(bob, 'bob 1');
  add(bob, 'bob 2');
  expect(titles()).toEqual(['ann 1', 'bob 1', 'ann 2', 'bob 2']);
  await runNext();
  add(bob, 'bob 3');
  expect(titles()).toEqual(['bob 1', 'ann 2', 'bob 2', 'bob 3']);
});

test('the jobs of the teacher run before those of students, in the order in which they came', async () => {
  add(student('ann'), 'ann 1');
  await runNext();
  add(student('ann'), 'ann 2');
  add(teacher, 'teacher 1');
  add(teacher, 'teacher 2');
  add(student('bob'), 'bob 1');
  expect(titles()).toEqual(['ann 1', 'teacher 1', 'teacher 2', 'bob 1', 'ann 2']);
});

test('a student without a waiting job is not refused, however many jobs of others wait', () => {
  const class60 = Array.from({ length: 60 }, (_, i) => student(`student ${i}`));
  add(teacher, 'teacher');
  for (const one of class60) while (!queue.isFullFor(one)) add(one, one.name);
  // one is about to run
  expect(queue.jobs.filter(({ about }) => !about.by.isTeacher)).toHaveLength(120);
  expect(class60.every((one) => queue.isFullFor(one))).toBe(true);
  expect(queue.isFullFor(student('late'))).toBe(false);
});
