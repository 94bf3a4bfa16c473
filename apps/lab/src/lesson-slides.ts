import type { Language } from '#lab/verdict';
import { wordsOf, type Lesson } from '#lab/course';
import {
  drawSlide,
  NoLongerReproduces,
  readToken,
  replay,
  type ScheduleToken,
  type World,
} from '#lab/explore';
import type { Strategy } from '#lab/strategy';
import { CREDIT } from '#load-tests/report';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from './command';
import { openExplorer } from './explorer';
import { EXIT, Failure } from './failure';
import { loadOwnStrategy } from './own-file';
import { LOCK_TEMPLATE } from './templates/lock';

/** A schedule of a lesson, and the file of its slide: `04-expiry-1.svg` is its first schedule. */
export interface LessonSchedule {
  readonly file: string;
  /** Its command, which the slide shows. */
  readonly command: string;
  readonly token: string;
  readonly language: Language;
  /** The file of `--with`, written by `lab new lock` in the same lesson. */
  readonly own?: string;
}

/** The schedules that the lessons replay, in their order. */
export const schedulesOf = (lessons: readonly Lesson[]): LessonSchedule[] =>
  lessons.flatMap(({ id, language, commands }) =>
    commands
      .map(({ command }) => ({ command, words: wordsOf(command).slice(2) }))
      .filter(({ words: [name] }) => name === 'replay')
      .map(({ command, words: [, token = '', option, own] }, i) => ({
        file: `${id}-${i + 1}.svg`,
        command,
        token,
        language,
        ...(option === '--with' && own !== undefined && { own }),
      })),
  );

/** The schedules, readable for `replay` as long as the returned folder exists. */
export function readSchedules(schedules: readonly LessonSchedule[]): {
  readonly tokens: ReadonlyMap<LessonSchedule, ScheduleToken>;
  readonly folder: string;
} {
  const folder = mkdtempSync(join(tmpdir(), 'oversell-lab-slides-'));
  const load = (name: string): Strategy => {
    const path = join(folder, name);
    writeFileSync(path, LOCK_TEMPLATE);
    return loadOwnStrategy(path).strategy;
  };
  const own = new Map(
    schedules.flatMap((one) => (one.own === undefined ? [] : [[one.own, load(one.own)] as const])),
  );
  const tokens = new Map(
    schedules.map((one) => [one, readToken(one.token, one.own === undefined ? undefined : own.get(one.own))]),
  );
  return { tokens, folder };
}

/** Replays a schedule of a lesson, and draws it with the labels of the lesson's language. */
export async function drawSchedule(
  world: World,
  { command, language }: LessonSchedule,
  token: ScheduleToken,
): Promise<string> {
  const { history, verdict } = await replay(world, token);
  return drawSlide(history, verdict, { command, credit: CREDIT, language });
}

/** Replays the schedules of the lessons on real servers, and draws each one into a file. */
export async function writeSlides(
  lessons: readonly Lesson[],
  folder: string,
  context: Context,
): Promise<number> {
  const schedules = schedulesOf(lessons);
  const read = readSchedules(schedules);
  try {
    const strategies = [...read.tokens.values()].map(({ setup }) => setup.strategy);
    const { pool, stop } = await openExplorer(context, 0, strategies);
    context.onEnd(stop);
    mkdirSync(folder, { recursive: true });
    for (const [schedule, token] of read.tokens) {
      const { file } = schedule;
      context.progress.update(file);
      const svg = await drawSchedule(pool.world, schedule, token).catch((error: unknown) => {
        if (error instanceof NoLongerReproduces) throw new Failure(`${file}: ${error.message}`, EXIT.unknown);
        throw error;
      });
      writeFileSync(join(folder, file), svg);
    }
  } finally {
    rmSync(read.folder, { recursive: true });
  }
  context.progress.clear();
  process.stdout.write(`${schedules.length} slides in ${folder}\n`);
  return EXIT.ok;
}
