import type { Choice } from './choice';

/** Run-length encodes the steps of one actor: `aaab` is `a3b`. */
export function scheduleText(choices: readonly Choice[]): string {
  return choices
    .join(' ')
    .replace(/(?<![A-Z])([a-c])(?: \1)+/g, (run, step: string) => `${step}${run.split(' ').length}`)
    .replaceAll(' ', '');
}

const CHOICE = /([a-c])(\d*)|[KPRCDX][1-3]|[TEQIJSO][a-c]|F[1-3]?|[LW]/gy;
const MAX_REPEATED = 200;

/** Parses the output of `scheduleText`; undefined when the text is malformed. */
export function readSchedule(text: string): Choice[] | undefined {
  const choices: Choice[] = [];
  let read = 0;
  for (const [whole, step, times] of text.matchAll(CHOICE)) {
    read += whole.length;
    const count = times === undefined || times === '' ? 1 : Number(times);
    if (count > MAX_REPEATED) return undefined;
    choices.push(...Array.from({ length: count }, () => step ?? whole));
  }
  return read === text.length ? choices : undefined;
}
