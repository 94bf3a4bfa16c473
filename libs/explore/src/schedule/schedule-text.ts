import type { Choice } from './choice';

/** Repeated steps of one actor are counted: `aaab` is `a3b`. */
export function scheduleText(choices: readonly Choice[]): string {
  return choices
    .join(' ')
    .replace(/(?<![A-Z])([a-c])(?: \1)+/g, (run, step: string) => `${step}${run.split(' ').length}`)
    .replaceAll(' ', '');
}

const CHOICE = /([a-c])(\d*)|[KPRCDX][1-3]|[TEQIJSO][a-c]|F[1-3]?|[LW]/gy;
const MOST_REPEATED = 200;

/** Reads what `scheduleText` wrote; undefined when it cannot be read. */
export function readSchedule(text: string): Choice[] | undefined {
  const choices: Choice[] = [];
  let read = 0;
  for (const [whole, step, times] of text.matchAll(CHOICE)) {
    read += whole.length;
    const count = times === undefined || times === '' ? 1 : Number(times);
    if (count > MOST_REPEATED) return undefined;
    choices.push(...Array.from({ length: count }, () => step ?? whole));
  }
  return read === text.length ? choices : undefined;
}
