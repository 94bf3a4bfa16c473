/** How well an answer was known, as its author says. */
export const ASSESSMENTS = ['knew', 'partly', 'no'] as const;
export type Assessment = (typeof ASSESSMENTS)[number];

/** Days after which a question of each Leitner box is asked again: box 1 first. */
export const DAYS_IN_BOX = [0, 1, 3, 7, 14] as const;

/** A question that was answered before. */
export interface Card {
  /** 1 to 5. */
  readonly box: number;
  /** The day of the last answer, as YYYY-MM-DD. */
  readonly answered: string;
}

/** The answered questions by their numbers. */
export type Cards = Readonly<Record<number, Card>>;

const DAY_MS = 86_400_000;

/** The calendar day of a time, in the zone of this machine, as YYYY-MM-DD. */
export const dayOf = (time: Date): string =>
  new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);

/** The day on which a question is asked again, as YYYY-MM-DD. */
export const dueDay = ({ box, answered }: Card): string =>
  new Date(Date.parse(answered) + (DAYS_IN_BOX[box - 1] ?? 0) * DAY_MS).toISOString().slice(0, 10);

/** The card after an answer: known moves it one box up, partly leaves it there, and no returns it to box 1. */
export function afterAnswer(card: Card | undefined, assessment: Assessment, today: string): Card {
  const box = card?.box ?? 1;
  const next = { knew: Math.min(box + 1, DAYS_IN_BOX.length), partly: box, no: 1 };
  return { box: next[assessment], answered: today };
}

/** Whether a question of this card was answered on this day, and may be asked once more. */
export const isRepeated = (card: Card | undefined, today: string): boolean => card?.answered === today;

/**
 * The questions to ask: those that are due, the longest due first, then new ones in order, and at last those that were
 * answered today and are due again. Before the new ones they would be the only ones that a learner of the first box is asked.
 */
export function choose<T extends { readonly number: number }>(
  questions: readonly T[],
  cards: Cards,
  today: string,
  count: number,
): T[] {
  const dueOf = ({ number }: T): string => {
    const card = cards[number];
    return card === undefined ? '' : dueDay(card);
  };
  const known = questions
    .filter(({ number }) => cards[number] !== undefined)
    .filter((question) => dueOf(question) <= today)
    .sort((one, other) => dueOf(one).localeCompare(dueOf(other)) || one.number - other.number);
  const due = known.filter(({ number }) => !isRepeated(cards[number], today));
  const fresh = questions.filter(({ number }) => cards[number] === undefined);
  const repeated = known.filter(({ number }) => isRepeated(cards[number], today));
  return [...due, ...fresh, ...repeated].slice(0, count);
}
