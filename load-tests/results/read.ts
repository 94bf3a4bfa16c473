import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CartReason, DrillReason, Language, LoadMechanism, Reason } from '#lab/verdict';
import { z } from 'zod';
import { reportName, runsDir } from './folders';

/** The name of a run folder: its time, with `-` for `:` and `.`, and the name of the run. No part of it is a path. */
export const RUN_FOLDER = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z-([\w.-]{1,80})$/;

const hasProperty =
  (name: string) =>
  (value: unknown): boolean =>
    typeof value === 'object' && value !== null && name in value;

const pair = z.object({ by: z.string(), owner: z.string() });

const drillReasons = z
  .array(z.custom<DrillReason>(hasProperty('code')))
  .readonly()
  .optional();

/** What verdict.json of a load run and of a drill have in common, and the findings of load runs. */
const savedVerdict = z.object({
  strategy: z.string().optional(),
  verdict: z.enum(['violated', 'safe', 'unknown']),
  mark: z.string(),
  headline: z.string(),
  asExpected: z.boolean(),
  because: z.array(z.string()).readonly(),
  violations: z.array(z.string()).readonly(),
  sold: z.int(),
  initial: z.int(),
  finalStock: z.int(),
  oversold: z.int(),
  lostUpdates: z.int(),
  mechanism: z.string().nullish(),
  /** Of load runs; a folder of an older version has none. */
  kind: z.enum(['stock', 'account']).optional(),
  reasons: z
    .array(z.custom<Reason>(hasProperty('code')))
    .readonly()
    .optional(),
  /** Of runs of carts. */
  cartReasons: z
    .array(z.custom<CartReason>(hasProperty('skus')))
    .readonly()
    .optional(),
  /** Of drills. */
  drillReasons,
  /** Of load runs; a folder of an older version has other fields. */
  unexpected: z
    .object({
      count: z.int(),
      of: z.int(),
      groups: z.array(z.object({ status: z.int(), code: z.string(), count: z.int() })).readonly(),
    })
    .optional()
    .catch(undefined),
  collision: z.custom<LoadMechanism>(hasProperty('cause')).nullish(),
  duplicates: z
    .array(z.object({ sales: z.array(z.object({ request: z.string() })).readonly() }))
    .readonly()
    .optional(),
  overlaps: z
    .array(z.object({ first: z.string(), second: z.string() }))
    .readonly()
    .optional(),
  foreignReleases: z.array(pair).readonly().optional(),
  foreignRenewals: z.array(pair).readonly().optional(),
});

/** The reasons of a drill under the name that they have beside those of load runs. */
const ofDrill = (reasons: z.infer<typeof drillReasons>): { drillReasons?: typeof reasons } => ({
  drillReasons: reasons,
});

/** A drill saves its balance as evidence. */
const savedDrill = z
  .looseObject({
    sold: z.int(),
    evidence: z.object({ initial: z.int(), final: z.int() }),
    reasons: drillReasons,
  })
  .transform(({ evidence: { initial, final }, reasons, ...verdict }) => ({
    ...verdict,
    ...ofDrill(reasons),
    initial,
    finalStock: final,
    oversold: Math.max(0, verdict.sold - initial),
    lostUpdates: verdict.sold - (initial - final),
  }))
  .pipe(savedVerdict);

export type SavedVerdict = z.infer<typeof savedVerdict>;

/** A run or drill that left a folder. */
export interface PastRun {
  readonly folder: string;
  readonly name: string;
  /** ISO 8601. */
  readonly at: string;
  /** Absent: there is no verdict.json, or it cannot be read. */
  readonly verdict?: SavedVerdict;
}

/** The folders of load runs and drills, newest first. Other commands leave folders without a verdict, such as `lab verify`. */
export function listRuns(most: number): string[] {
  const names = existsSync(runsDir()) ? readdirSync(runsDir()) : [];
  return names
    .filter((name) => RUN_FOLDER.test(name) && existsSync(verdictFile(name)))
    .sort()
    .reverse()
    .slice(0, most);
}

const verdictFile = (folder: string): string => join(runsDir(), folder, 'verdict.json');

/** A run folder. */
export function readRun(folder: string): PastRun {
  const [, day = '', hours = '', minutes = '', seconds = '', ms = '', name = ''] =
    RUN_FOLDER.exec(folder) ?? [];
  const verdict = readVerdict(verdictFile(folder));
  return {
    folder,
    name,
    at: `${day}T${hours}:${minutes}:${seconds}.${ms}Z`,
    ...(verdict !== undefined && { verdict }),
  };
}

function readVerdict(file: string): SavedVerdict | undefined {
  try {
    const saved: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return (savedVerdict.safeParse(saved).data ?? savedDrill.safeParse(saved).data) satisfies
      SavedVerdict | undefined;
  } catch {
    return undefined;
  }
}

/** The report of a run folder; a folder of an older version has one language only. Undefined: there is none. */
export function readReport(folder: string, language: Language): string | undefined {
  if (!RUN_FOLDER.test(folder)) return undefined;
  const pages = [reportName(language), reportName('en')].map((name) => join(runsDir(), folder, name));
  try {
    return readFileSync(pages.find((page) => existsSync(page)) ?? '', 'utf8');
  } catch {
    return undefined;
  }
}
