import {
  MARKS,
  harmOf,
  mechanismOf,
  protections,
  worstHarm,
  type LockChange,
  type ScheduleEvent,
  type ScheduleHistory,
  type ScheduleVerdict,
  type StepEvent,
  markWords,
} from '#lab/verdict';

const MAX_TEXT = 44;

/** Renders a schedule as text with one lane per actor, at most `width` columns each, and faults across. */
export function drawLanes(history: ScheduleHistory, verdict: ScheduleVerdict, width = MAX_TEXT): string {
  const lanes = history.actors.map(
    ({ name, process, cart }) =>
      `${name} (${process})${cart === undefined ? '' : ` wants ${cart.join(', ')}`}`,
  );
  const row = (n: string, cells: readonly string[]): string =>
    [n.padStart(4), ...cells.map((cell) => cell.padEnd(width))].join('  ').trimEnd();
  const lines = history.events.map((event) => {
    const n = String(event.n);
    const lane = history.actors.findIndex(({ name }) => 'actor' in event && event.actor === name);
    if (lane < 0) return `${n.padStart(4)}  ·· ${across(event)}${lockChanges(event)}`;
    const cells = history.actors.map((_, i) =>
      i === lane ? cut(eventText(event, hasCarts(history)), width) : '│',
    );
    return row(n, cells) + lockChanges(event);
  });
  return [row('', lanes), ...lines, ...conclusions(history, verdict)].join('\n');
}

/** The lines below the lanes: stock and movements, violations, the summary. */
export const conclusions = (history: ScheduleHistory, verdict: ScheduleVerdict): string[] => [
  ...Object.entries(history.final.amounts).map(([balance, amount]) => stockLine(history, balance, amount)),
  ...verdict.violations.map(({ kind, sentence }) => `      ${MARKS[harmOf(kind)].sign} ${kind}: ${sentence}`),
  ...summary(history, verdict),
];

/** Summary of a schedule: its mark and mechanism, or what prevented a violation. */
function summary(history: ScheduleHistory, { violations }: ScheduleVerdict): string[] {
  const kinds = violations.map(({ kind }) => kind);
  const harm = worstHarm(kinds);
  const effective = [...protections(history)];
  const protectedBy = effective.length === 0 ? [] : [`        ${effective.join('; ')}`];
  if (harm === undefined) return ['      ✓ right: no violation in this schedule', ...protectedBy];
  const { sign } = MARKS[harm];
  const words = markWords(harm, kinds);
  const how = mechanismOf(history, violations);
  if (harm === 'lock-broken') return [`      ${sign} ${words}`, ...protectedBy];
  const isRepeated = how === undefined || violations.some(({ sentence }) => sentence === how);
  return isRepeated ? [] : [`      ${sign} ${words}: ${how}`];
}

/** Renders a schedule as a Mermaid sequence diagram. */
export function drawMermaid(history: ScheduleHistory, verdict: ScheduleVerdict): string {
  const names = history.actors.map(({ name }) => name);
  const lines = history.events.flatMap((event) => {
    switch (event.type) {
      case 'step':
        return sequence(event);
      case 'end':
        return [`  Note over ${event.actor}: ${plain(`${event.code} — ${event.text}`)}`];
      case 'warn':
        return [`  Note over ${event.actor}: ${plain(event.text)}`];
      case 'fault':
      case 'time':
        return [`  Note over ${names[0] ?? 'A'},DB: ${event.n} ${plain(event.text)}`];
    }
  });
  return [
    'sequenceDiagram',
    ...history.actors.map(({ name, process }) => `  participant ${name} as ${name} (${process})`),
    '  participant R as Redis',
    '  participant DB',
    ...lines,
    ...verdict.violations.map(({ sentence }) => `  Note over ${names[0] ?? 'A'},DB: ${plain(sentence)}`),
  ].join('\n');
}

function sequence(event: StepEvent): string[] {
  const target = { redis: 'R', sql: 'DB' }[event.kind] ?? event.actor;
  const answer = event.error ?? (event.reply === undefined ? '…' : JSON.stringify(event.reply));
  return [
    `  ${event.actor}->>${target}: ${event.n} ${plain(cut(event.text, 60))}`,
    `  ${target}-->>${event.actor}: ${plain(cut(answer, 40))}`,
  ];
}

export const hasCarts = ({ actors }: ScheduleHistory): boolean =>
  actors.some(({ cart }) => cart !== undefined);

/** A step with its reply, or another event. Long statements are truncated, so that the reply stays visible. */
export function eventText(event: ScheduleEvent, carts: boolean): string {
  switch (event.type) {
    case 'step':
      return `${event.timer === true ? '⏱ ' : ''}${cut(statementText(event, carts), MAX_TEXT - 14)}${answerOf(event)}`;
    case 'end':
      return `■ ${event.code}`;
    case 'warn':
      return `! ${event.text}`;
    case 'fault':
    case 'time':
      return event.text;
  }
}

/** A statement without what is the same in every schedule. */
export const statementText = ({ text, kind }: StepEvent, carts: boolean): string =>
  (kind === 'sql' ? text.replace(/^INSERT INTO movement .*/, 'INSERT movement') : text)
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (uuid) => uuid.slice(0, 4))
    .replace(/lock:\{([^{}]*)\}:/, carts ? '$1:' : 'lock:');

/** What follows the statement: its answer. A wait has none. */
export const answerOf = (event: StepEvent): string =>
  event.kind === 'timer' && event.verb === 'WAIT' ? '' : ` ⇒ ${describeAnswer(event)}`;

/** The answer to a step in a few words: `✗ SQL.DEADLOCK`, `1 row`, `null (reply lost)`. */
export function describeAnswer({ kind, verb, reply, error, answeredAt, fault }: StepEvent): string {
  const late = answeredAt === undefined ? '' : ` (waited until ${answeredAt})`;
  if (error !== undefined) return `✗ ${fault ?? error}${late}`;
  const lost = fault === 'lose-reply' ? ' (reply lost)' : '';
  if (kind === 'sql' && /^(SET|START|COMMIT|ROLLBACK)/.test(verb)) return `OK${late}${lost}`;
  if (typeof reply === 'object' && reply !== null && 'affectedRows' in reply)
    return `${String(reply.affectedRows)} row${late}${lost}`;
  if (kind === 'redis' && isOfMulti(reply))
    return JSON.stringify(reply.map(([failed, value]) => failed ?? value)) + late + lost;
  if (Array.isArray(reply) && typeof reply[0] === 'object' && reply[0] !== null)
    return (
      Object.values(reply[0] as Record<string, unknown>)
        .map(String)
        .join(' ') +
      late +
      lost
    );
  return JSON.stringify(reply ?? null) + late + lost;
}

/** The answer of EXEC as ioredis gives it: the error and the reply of each command. */
const isOfMulti = (reply: unknown): reply is readonly (readonly [unknown, unknown])[] =>
  Array.isArray(reply) &&
  reply.length > 0 &&
  reply.every(
    (one: unknown) => Array.isArray(one) && one.length === 2 && (one[0] === null || one[1] === undefined),
  );

const across = (event: ScheduleEvent): string =>
  event.type === 'fault' || event.type === 'time' ? event.text : '';

/** What a change of the key of a rate limiter means. */
const WINDOW_WORDS: Readonly<Record<LockChange['change'], string>> = {
  taken: 'window opened',
  replaced: 'window replaced',
  released: 'window removed',
  renewed: 'window gets its end',
  expired: 'window ended',
  flushed: 'window lost',
};

function lockChanges(event: ScheduleEvent): string {
  const words = lockRemarks(event);
  return words.length === 0 ? '' : `   ← ${words.join(', ')}`;
}

/** What the event changed in each lock, in words. */
export const lockRemarks = (event: ScheduleEvent): string[] =>
  (event.locks ?? []).map(({ key, change, by, owner }) =>
    key.startsWith('limit:')
      ? WINDOW_WORDS[change]
      : change === 'released' && owner !== undefined && by !== owner
        ? `✗ ${owner}'s lock is gone`
        : `lock ${change}`,
  );

function stockLine({ stock, final }: ScheduleHistory, balance: string, amount: number): string {
  const own = final.movements.filter((movement) => movement.balance === balance);
  const moved = own.map(({ request, before, after }) => `${request} ${before}→${after}`).join(', ') || 'none';
  const name = Object.keys(final.amounts).length > 1 ? `${balance}: ` : '';
  return `      ${name}stock ${stock} → ${amount}, movements: ${moved}`;
}

export const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`;

const plain = (text: string): string => text.replace(/[;#]/g, ',').replace(/[{}]/g, '');
