import { wordsOf, type Lesson } from '#lab/course';
import { drawSlide, NoLongerReproduces, readToken, replay } from '#lab/explore';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from './command';
import { openExplorer } from './explorer';
import { EXIT, Failure } from './failure';

const CREDIT = 'Oversell Lab, CC BY 4.0';

/** A schedule of a lesson, and the file of its slide: `04-expiry-1.svg` is its first schedule. */
export interface LessonSchedule {
  readonly file: string;
  readonly token: string;
}

/** The tokens that the lessons replay, in their order. */
export const schedulesOf = (lessons: readonly Lesson[]): LessonSchedule[] =>
  lessons.flatMap(({ id, commands }) =>
    commands
      .map(({ command }) => wordsOf(command).slice(2))
      .filter(([name]) => name === 'replay')
      .map(([, token = ''], i) => ({ file: `${id}-${i + 1}.svg`, token })),
  );

/** Replays the schedules of the lessons on real servers, and draws each one into a file. */
export async function writeSlides(
  lessons: readonly Lesson[],
  folder: string,
  context: Context,
): Promise<number> {
  const schedules = schedulesOf(lessons).map((one) => ({ ...one, schedule: readToken(one.token) }));
  const { pool, stop } = await openExplorer(
    context,
    0,
    schedules.map(({ schedule }) => schedule.setup.strategy),
  );
  context.onEnd(stop);
  mkdirSync(folder, { recursive: true });
  for (const { file, token, schedule } of schedules) {
    context.progress.update(file);
    const { history, verdict } = await replay(pool.world, schedule).catch((error: unknown) => {
      if (error instanceof NoLongerReproduces) throw new Failure(`${file}: ${error.message}`, EXIT.unknown);
      throw error;
    });
    const command = `npx lab replay ${token}`;
    writeFileSync(join(folder, file), drawSlide(history, verdict, { command, credit: CREDIT }));
  }
  context.progress.clear();
  process.stdout.write(`${schedules.length} slides in ${folder}\n`);
  return EXIT.ok;
}
