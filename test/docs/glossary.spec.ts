import type { LimitViolationKind } from '#lab/limit';
import { PAUSE_EVENTS, type Action } from '#lab/step';
import { CAPABILITIES, FAULTS, type Circumstance } from '#lab/strategy';
import { MARKS, harmOf, type FaultEvent, type ScheduleViolationKind } from '#lab/verdict';
import { inlineCode, read } from './pages';

const glossary = read('docs/glossary.md');

/** The names in the first column of the table under a heading, and the whole section. */
function section(heading: string): { names: string[]; rows: string[] } {
  const text = glossary.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? '';
  const rows = text.split('\n').filter((line) => /^\| `/.test(line));
  return { names: rows.map((row) => /`([^`]+)`/.exec(row)?.[1] ?? ''), rows };
}

// The compiler checks that these name every kind, fault and action: `npm run check:types`.
const KINDS: Record<ScheduleViolationKind, true> = {
  oversold: true,
  'lost-update': true,
  'lost-acknowledged': true,
  undersold: true,
  orphan: true,
  'torn-cart': true,
  stuck: true,
  unavailable: true,
  'dead-lock': true,
  starved: true,
  late: true,
  'fail-open': true,
  overlap: true,
  'foreign-release': true,
  'foreign-renewal': true,
  duplicate: true,
  missing: true,
  'stale-write': true,
  'repeated-work': true,
  avalanche: true,
  'over-limit': true,
  'blocked-forever': true,
  invariant: true,
};
const LIMIT_KINDS: Record<Exclude<LimitViolationKind, ScheduleViolationKind>, true> = {
  unfair: true,
  'limiter-down': true,
};
const ACTIONS: Record<Action['kind'], string> = {
  kill: 'kill',
  pause: 'pause',
  'pause-until': 'pause',
  block: 'block',
  delay: 'delay',
  'lose-reply': 'lose-reply',
  error: 'error',
};
const RESUME: FaultEvent['fault'] = 'resume';
const CITED: readonly Circumstance[] = ['holder-killed', 'work-outlives-lease'];

test('every kind of violation has an entry, with its mark', () => {
  const { names, rows } = section('Kinds of violations');
  expect(names.toSorted()).toEqual(Object.keys(KINDS).toSorted());
  for (const [i, name] of names.entries())
    expect(rows[i]).toContain(`| ${MARKS[harmOf(name as ScheduleViolationKind)].sign} `);
});

test('every kind of violation of a rate limit has an entry, with its mark', () => {
  const { names, rows } = section('Violations of a rate limit');
  expect(names.toSorted()).toEqual(Object.keys(LIMIT_KINDS).toSorted());
  for (const [i, name] of names.entries())
    expect(rows[i]).toContain(`| ${MARKS[harmOf(name as LimitViolationKind)].sign} `);
});

test('every capability has an entry', () => {
  expect(section('Capabilities').names.toSorted()).toEqual(Object.keys(CAPABILITIES).toSorted());
});

test('every fault of a schedule has an entry', () => {
  const { names } = section('Faults of a schedule');
  expect(names.toSorted()).toEqual([...Object.keys(FAULTS), RESUME].toSorted());
});

test('every action of x-fault has an entry', () => {
  const { names, rows } = section('Faults of a request');
  expect(names.toSorted()).toEqual([...new Set(Object.values(ACTIONS))].toSorted());
  for (const event of PAUSE_EVENTS) expect(rows.join('\n')).toContain(`\`${event}\``);
});

test('every mark has an entry', () => {
  for (const [name, { sign, words }] of Object.entries(MARKS)) {
    const row = glossary.split('\n').find((line) => line.startsWith(`| ${sign} ${words}`));
    expect([name, row?.includes(`\`${name}\``)]).toEqual([name, true]);
  }
});

test('the circumstances that it cites exist', () => {
  expect(inlineCode(glossary)).toEqual(expect.arrayContaining([...CITED]));
});
