import {
  choiceText,
  describeAnswer,
  EXPLORE_OPTIONS,
  inChinese,
  writeToken,
  type InteractiveSchedule,
  type ScheduleView,
} from '#lab/explore';
import { OPTION_NAMES, type Options } from '#lab/strategy';
import { harmOf, protections, type ScheduleEvent, type ScheduleViolation } from '#lab/verdict';
import type { z } from 'zod';
import type { scheduleEvent, StepView, violation } from './schemas';

type EventView = z.infer<typeof scheduleEvent>;

/** What a reader sees of a schedule between two choices. */
export async function stepViewOf(schedule: InteractiveSchedule): Promise<StepView> {
  const view = await schedule.view();
  const { choices } = schedule;
  const tokenOf = (count: number): string => writeToken(schedule.token(view.verdict, count));
  return {
    token: tokenOf(choices.length),
    ...(choices.length > 0 && { undo: tokenOf(choices.length - 1) }),
    start: tokenOf(0),
    strategy: view.setup.strategy.name,
    stock: view.setup.stock,
    options: changedOptions(view.setup.options),
    choices: choices.length,
    made: choices.map(choiceText),
    actors: view.actors,
    controls: view.controls.map(({ choice, disabled }) => ({
      ...choice,
      choice: choiceText(choice),
      ...(disabled !== undefined && { disabled }),
    })),
    events: view.history.events.map(eventView),
    now: view.now,
    ...stateOf(view),
    violations: view.verdict.violations.map(violationView),
    protections: view.isOver
      ? [...protections(view.history)].map((text) => ({ text, inChinese: inChinese(text) }))
      : [],
    isOver: view.isOver,
  };
}

const changedOptions = (options: Options): Record<string, string | number> =>
  Object.fromEntries(
    OPTION_NAMES.filter((name) => options[name] !== EXPLORE_OPTIONS[name]).map((name) => [
      name,
      options[name],
    ]),
  );

function stateOf({
  history: { final },
  now,
}: ScheduleView): Pick<StepView, 'balances' | 'movements' | 'locks'> {
  return {
    balances: { ...final.amounts },
    movements: final.movements.map(({ balance, request, delta, before, after }) => ({
      balance,
      request,
      delta,
      before,
      after,
    })),
    locks: final.locks.map(({ key, owner, expiresAt }) => ({
      key,
      ...(owner !== undefined && { owner }),
      ...(expiresAt !== undefined && { remainingMs: Math.max(0, Math.round(expiresAt - now)) }),
    })),
  };
}

/** Words in a row that are not the name of a command: a part of the sentence has no translation. */
const ENGLISH = /\b[a-z]{2,} [a-z]{2,} [a-z]{2,}\b/;

export function violationView({ kind, sentence, at }: ScheduleViolation): z.infer<typeof violation> {
  const chinese = inChinese(sentence);
  return {
    kind,
    harm: harmOf(kind),
    sentence,
    ...(chinese !== sentence && !ENGLISH.test(chinese) && { inChinese: chinese }),
    at,
  };
}

/** The text is a sentence: no statement, and no message of an error. */
const isInWords = (event: ScheduleEvent): boolean =>
  event.type !== 'step' && (event.type !== 'end' || event.code === 'APPLIED');

/** An event with its answer in words. */
export function eventView(event: ScheduleEvent): EventView {
  const { n, at, type, text, locks } = event;
  return {
    n,
    type,
    text,
    ...(isInWords(event) && { inChinese: inChinese(text) }),
    ...(at !== undefined && { at }),
    ...('actor' in event && { actor: event.actor }),
    ...(locks !== undefined && locks.length > 0 && { locks }),
    ...(event.type === 'end' && { code: event.code }),
    ...(event.type === 'fault' && { fault: event.fault }),
    ...(event.type === 'step' && {
      kind: event.kind,
      ...(event.fault !== undefined && { fault: event.fault }),
      ...(event.error === undefined
        ? event.reply !== undefined && { reply: describeAnswer(event) }
        : { error: event.error }),
      ...(event.timer === true && { isTimer: true }),
      ...(event.answeredAt !== undefined && { answeredAt: event.answeredAt }),
    }),
  };
}
