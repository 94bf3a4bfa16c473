import type { ScheduleHistory } from '#lab/verdict';

/** A history without what differs from run to run: owner tokens, row ids, real times, ids in a stream. Two replays give the same text. */
export function normalise(history: ScheduleHistory): string {
  const names = new Map<string, string>();
  const name = (token: string): string => {
    const known = names.get(token) ?? `token-${names.size + 1}`;
    names.set(token, known);
    return known;
  };
  const events = history.events.map((event) =>
    event.type === 'step' && event.verb === 'INSERT' ? { ...event, reply: 'inserted' } : event,
  );
  return JSON.stringify({ ...history, events }).replace(
    /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b\d{13}-\d+/g,
    name,
  );
}
