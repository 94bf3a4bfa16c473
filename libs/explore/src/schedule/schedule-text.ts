import { ACTOR_NAMES } from '../world';
import { isSame, type Choice } from './choice';

/** The letter before the subject of a choice. A step has none: `a` is the next step of A. */
const LETTERS: Readonly<Record<Choice['kind'], string>> = {
  step: '',
  'timer-step': 'T',
  arrival: 'J',
  error: 'E',
  'lose-reply': 'Q',
  'in-flight': 'I',
  slow: 'S',
  overrun: 'O',
  kill: 'K',
  'host-down': 'H',
  pause: 'P',
  resume: 'R',
  cut: 'C',
  'lost-session': 'X',
  lapse: 'L',
  tick: 'W',
  flush: 'F',
  'server-down': 'D',
};

/** A choice in one or two characters: `a`, `Ta`, `K1`, `L`, `F`, `F1`. */
export function choiceText(choice: Choice): string {
  const letter = LETTERS[choice.kind];
  if ('actor' in choice) return `${letter}${choice.actor.toLowerCase()}`;
  if ('process' in choice) return `${letter}${choice.process}`;
  return 'server' in choice ? `${letter}${choice.server}` : letter;
}

/** Every choice by its text. */
const CHOICES: ReadonlyMap<string, Choice> = new Map(
  everyChoice().map((choice) => [choiceText(choice), choice]),
);

function everyChoice(): Choice[] {
  const numbers = [1, 2, 3];
  const ofActors = [
    'step',
    'timer-step',
    'arrival',
    'error',
    'lose-reply',
    'in-flight',
    'slow',
    'overrun',
  ] as const;
  const ofProcesses = ['kill', 'host-down', 'pause', 'resume', 'cut', 'lost-session'] as const;
  return [
    ...ACTOR_NAMES.flatMap((actor) => ofActors.map((kind) => ({ kind, actor }))),
    ...numbers.flatMap((process) => ofProcesses.map((kind) => ({ kind, process }))),
    ...numbers.flatMap((server) => [
      { kind: 'flush', server } as const,
      { kind: 'server-down', server } as const,
    ]),
    { kind: 'flush' },
    { kind: 'lapse' },
    { kind: 'tick' },
  ];
}

/** A schedule as text: choices in one or two characters, repeated steps of one actor counted: `a3bL`. */
export function scheduleText(choices: readonly Choice[]): string {
  let text = '';
  for (let i = 0; i < choices.length;) {
    const choice = choices[i];
    if (choice === undefined) break;
    let end = i + 1;
    if (choice.kind === 'step') while (isRepeated(choice, choices[end])) end++;
    text += choiceText(choice) + (end - i > 1 ? String(end - i) : '');
    i = end;
  }
  return text;
}

const isRepeated = (choice: Choice, next: Choice | undefined): boolean =>
  next !== undefined && isSame(choice, next);

const CHOICE = /([a-c])(\d*)|[KHPRCDX][1-3]|[TEQIJSO][a-c]|F[1-3]?|[LW]/gy;

/** Far more than any schedule has; bounds the memory that the text of a stranger needs. */
const MAX_CHOICES = 100_000;

/** Parses the output of `scheduleText`; undefined when the text is malformed. */
export function readSchedule(text: string): Choice[] | undefined {
  const choices: Choice[] = [];
  let read = 0;
  for (const [whole, step, times] of text.matchAll(CHOICE)) {
    read += whole.length;
    const choice = CHOICES.get(step ?? whole);
    const count = times === undefined || times === '' ? 1 : Number(times);
    if (choices.length + count > MAX_CHOICES || choice === undefined) return undefined;
    for (let n = 0; n < count; n++) choices.push(choice);
  }
  return read === text.length ? choices : undefined;
}
