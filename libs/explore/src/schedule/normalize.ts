import type { ScheduleHistory, StepEvent } from '#lab/verdict';

/**
 * A history without run-specific values: owner tokens, row ids, real times, stream ids. Two replays give the same
 * text.
 */
export function normalize(history: ScheduleHistory): string {
  const events = history.events.map((event) => (event.type === 'step' ? comparable(event) : event));
  return nameTokens(JSON.stringify({ ...history, events }));
}

/** A step without values that the servers count for all their clients. */
export function comparable(event: StepEvent): StepEvent {
  if (event.verb === 'INSERT') return { ...event, reply: insertedRows(event.reply) };
  if (event.verb === 'GRANT') return { ...event, reply: 'a lease' };
  return { ...event, reply: withoutServerCounters(event.reply) };
}

/**
 * Replaces tokens and stream ids by names, in the order in which the text mentions them. `names`: those of texts before it;
 * `next`: the name of a new token.
 */
export function nameTokens(
  text: string,
  names = new Map<string, string>(),
  next = (): string => `token-${names.size + 1}`,
): string {
  const name = (token: string): string => {
    const known = names.get(token) ?? next();
    names.set(token, known);
    return known;
  };
  return text.replace(
    // ZooKeeper appends node numbers; redlock tokens have no dashes
    /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?:-\d{10})?|\b\d{13}-\d+|\b[0-9a-f]{32}\b/g,
    (token) =>
      // a stream id starts with the server's time: after a restart, entries of one millisecond have the same id
      /^\d{13}-/.test(token) ? 'stream-id' : name(token.replace(/(?<=-[0-9a-f]{12})-\d{10}$/, '')),
  );
}

/** What differs between two runs of a schedule, in a sentence: the first event, or the rest. Undefined: nothing. */
export function differenceOf(once: ScheduleHistory, again: ScheduleHistory): string | undefined {
  const texts = [once, again].map(normalize);
  if (texts[0] === texts[1]) return undefined;
  const [before = [], after = []] = texts.map((text) =>
    (JSON.parse(text) as ScheduleHistory).events.map((event) => JSON.stringify(event)),
  );
  const longer = before.length < after.length ? after : before;
  const at = longer.findIndex((_, i) => before[i] !== after[i]);
  return at < 0
    ? `no event differs, the final state is ${JSON.stringify(again.final)} instead of ${JSON.stringify(once.final)}`
    : `event ${at + 1} is ${after[at] ?? 'missing'} instead of ${before[at] ?? 'missing'}`;
}

/** How many rows an INSERT has changed, without their ids. */
const insertedRows = (reply: unknown): unknown =>
  typeof reply === 'object' && reply !== null && 'affectedRows' in reply
    ? { affectedRows: reply.affectedRows }
    : 'inserted';

/** ZooKeeper and etcd revisions, sessions and leases depend on all clients of the server. */
const withoutServerCounters = (reply: unknown): unknown =>
  typeof reply === 'object' && reply !== null && ('czxid' in reply || 'revision' in reply)
    ? { ...reply, czxid: 0, revision: 0, session: '', lease: '' }
    : reply;
