import { count } from '#lab/step';
import { balanceWords, type BalanceWords, type LoadVerdict } from '#lab/verdict';
import { markup, type Markup } from '../markup';

/** The sentences of a verdict. */
interface Sentences {
  readonly headline: string;
  readonly because: readonly string[];
  readonly mechanism: string | null;
  readonly protectedBy: readonly string[];
}

/** What observed a fault. */
export type FaultWitness = NonNullable<LoadVerdict['faults'][number]['seenBy']>;

/** The texts of a report. `words`: those of `english.words` for its kind of balance. */
export const english = {
  htmlLanguage: 'en',
  /** Names the other language in that language. */
  otherLanguage: { name: '中文', htmlLanguage: 'zh-CN' },
  words: balanceWords,
  sentencesOf: (verdict: LoadVerdict): Sentences => verdict,
  /** Separates a title or the mark of a verdict from what follows. */
  colon: ': ',
  end: '.',
  none: 'none',

  // the verdict
  how: 'How:',
  protectedBy: 'Protected by:',
  asExpected: 'As expected',
  notAsExpected: 'Not as expected',
  expectation: (strategy: string, must: readonly string[], may: readonly string[]) =>
    ` of ${strategy} (expected: ${must.length === 0 ? 'no violation' : must.join(', ')}${may.length === 0 ? '' : `; may also show ${may.join(', ')}`}).`,
  numbers: {
    initial: ({ balance }: BalanceWords) => `initial ${balance}`,
    moved: ({ moved }: BalanceWords) => `units ${moved}`,
    final: ({ balance }: BalanceWords) => `final ${balance}`,
    overtaken: ({ overtaken }: BalanceWords) => `units ${overtaken}`,
    lostUpdates: 'updates lost',
    duplicates: (isStock: boolean): string => (isStock ? 'values sold twice' : 'equal new balances'),
    overlaps: 'two holders',
    foreignReleases: 'foreign releases',
    foreignRenewals: 'foreign renewals',
    stuckLocks: 'stuck locks',
    deadLocks: 'deadlocks',
    orphans: 'orphans',
    undecided: 'undecided',
    refusals: 'refused as stale',
    outage: 'outage',
    perSecond: 'requests/s',
    medianLatency: 'median latency',
    longest: 'longest',
  },
  parameters: 'Parameters',
  conditions: 'Conditions',

  drill: {
    lead: (shows: string, certainBy: string) => `${shows}. It is certain because ${certainBy}.`,
    initial: 'units before',
    sold: 'units sold',
    final: 'units left',
    answers: 'Answers to the buyers',
    facts: 'Facts',
    howFacts: 'Reported by a server or the kernel; a fact that does not hold makes the verdict unknown.',
    not: '✗ not',
    figures: 'Figures',
    timeline: 'Timeline',
    drill: 'drill',
    nothing: 'No event was recorded.',
    how: 'One lane each for the drill, the buyers and the servers. Time runs down in milliseconds since the first event; rows are not to scale. A held buyer is paused until the drill releases it. Hover over a row for its full text.',
  },

  // tables
  more: (rows: number) => `and ${rows} more in verdict.json`,
  onReplica: (request: Markup, replica: string) => markup`${request} on ${replica}`,
  sellers: (named: readonly Markup[], more: number) =>
    markup`${named.map((one, i) => markup`${i > 0 && ' and by '}${one}`)}${more > 0 && ` and ${more} more`}`,
  duplicates: (values: number, isStock: boolean) =>
    isStock ? `Sold more than once: ${count(values, 'remaining value')}` : `Equal new balances: ${values}`,
  overlaps: (times: number) => `Two holders of one lock: ${count(times, 'time')}`,
  foreignReleases: (times: number) => `Released another holder’s lock: ${count(times, 'time')}`,
  foreignRenewals: (times: number) => `Renewed another holder’s lock: ${count(times, 'time')}`,
  stuckLocks: 'Locks without expiry',
  orphans: (movements: number, { anOrder }: BalanceWords) => `Movements without ${anOrder}: ${movements}`,
  refusals: (requests: number) => `Refused as stale: ${count(requests, 'request')}`,
  noRowChanged: (statement: Markup) => markup`${statement}: no row changed`,
  refusedByHolder: 'the holder itself, which noticed the loss',
  faults: (outage: string | undefined) =>
    `Faults that fired${outage === undefined ? '' : `; the lock was taken again after ${outage}`}`,
  witness: (seenBy: FaultWitness): string => seenBy,
  noWitness: 'no other process',
  outcomes: 'Outcomes',
  openLoop: (perSecond: string, asked: number, asAsked: boolean) =>
    `Open loop: ${perSecond} of ${asked} requests/s were offered${asAsked ? '' : ', NOT the requested rate'}`,
  sinceDue: 'its due time',
  sinceSend: 'its send (uncorrected)',
  yes: 'yes',
  no: 'no',
  heads: {
    left: (isStock: boolean): string => (isStock ? 'units left' : 'balance'),
    moved: ({ moved }: BalanceWords) => `was ${moved}`,
    by: 'by',
    atWork: 'still at work',
    taker: 'took the lock',
    lock: 'lock',
    deletedBy: 'deleted by',
    renewedBy: 'renewed by',
    owner: 'belonged to',
    value: 'value',
    request: 'request',
    answer: 'answer',
    refusedBy: 'refused by',
    fault: 'fault',
    step: 'at the step',
    ofRequest: 'of request',
    held: 'held a lock',
    seenBy: 'seen by',
    code: 'code',
    status: 'status',
    answers: 'answers',
    share: 'share',
    median: 'median',
    longest: 'longest',
    since: 'latency of a request since',
  },

  // plots
  time: (unit: string) => `time since the run began (${unit})`,
  fired: (fault: string, replica: string, request: string) =>
    `${fault} fired on ${replica} in request ${request}`,
  noAnswers: 'No answers were recorded.',
  stock: {
    heading: ({ balance }: BalanceWords): string =>
      balance === 'stock' ? 'Stock over time' : 'Balance over time',
    nothing: ({ moved }: BalanceWords) => `Nothing was ${moved}.`,
    how: ({ movement, movements, balance }: BalanceWords, initial: number, final: number) =>
      `Each dot is one ${movement} at its commit, at the ${balance} that its request computed. The line is the initial ${initial} with all ${movements} by then; dots off the line are ${movements} that did not see each other. Final ${balance} in the table: ${final}.`,
    thinned: ({ movement, movements }: BalanceWords, all: number, every: number) =>
      ` Of ${count(all, movement, movements)}, one in ${every} is drawn, plus all marked ones.`,
    left: ({ balance }: BalanceWords): string => (balance === 'stock' ? 'units left' : 'balance'),
    inOrder: ({ movements }: BalanceWords) =>
      `${movements}, in the order of their inserts (there is no history)`,
    dot: ({ moved }: BalanceWords, after: number, request: string, replica: string, at: number) =>
      `${after} left, ${moved} by ${request} on ${replica} at ${at}`,
    overtakenDot: ({ overtaken }: BalanceWords) => `; ${overtaken}`,
    duplicateDot: ({ movements }: BalanceWords) => `; several ${movements} left this value`,
    truth: ({ movements }: BalanceWords) => `initial with all ${movements}`,
    duplicate: ({ movements }: BalanceWords) => `value left by several ${movements}`,
    overtaken: ({ overtaken, balance }: BalanceWords) => `${overtaken}: no ${balance} was left`,
  },
  lanes: {
    holders: 'Lock holders over time',
    requests: 'Requests over time',
    nothing: 'There is no history of this run, so lock holders are unknown.',
    about: {
      fault: 'the first fault',
      overlap: 'the first overlap of two holders',
      'foreign-release': 'the first release of another holder’s lock',
      duplicate: 'the first value that two requests left',
      overtaken: 'the first unit beyond the initial amount',
      beginning: 'the beginning of the run',
      present: 'the present',
    },
    how: (isHeld: boolean, { balance, movement }: BalanceWords) =>
      `Each bar is ${isHeld ? 'one hold time of a lock' : 'one request to the strategy (which holds no lock in Redis)'}, one lane per replica; the number in a bar is the ${balance} after its ${movement}.`,
    part: (drawn: number, all: number, about: string) => ` Shown: ${drawn} of ${all}, around ${about}.`,
    bar: (request: string, replica: string, from: number, until: number | undefined) =>
      `${request} on ${replica}: ${from} to ${until ?? 'no end'} ms`,
    movedNothing: ({ moved }: BalanceWords) => `, ${moved} nothing`,
    moved: ({ moved }: BalanceWords, after: number) => `, ${moved}: ${after} left`,
    clash: (first: string, second: string) => `${second} acquired the lock while ${first} was still working`,
    gap: (replica: string, kind: 'paused' | 'dead', ms: number) => `${replica} was ${kind} for ${ms} ms`,
    oneOfTwo: 'one of two holders',
    collided: ({ moved }: BalanceWords, value: number) =>
      moved === 'sold'
        ? `all of these sold “${value} left”`
        : `all of these ${moved} with the balance ${value}`,
    twoHolders: 'two simultaneous holders',
    neverReleased: 'never released',
    neverAnswered: 'never answered',
    lingering: 'the lock outlives its holder',
    paused: 'paused',
    dead: 'dead',
  },
  outcomesOverTime: {
    heading: 'Outcomes over time',
    how: 'Answers to the buyers, at the time of each answer.',
    bin: (answers: number, code: string, from: number, until: number) =>
      `${count(answers, 'answer')} ${code} from ${from} to ${until} ms`,
    perBin: (ms: string) => `answers per ${ms} ms`,
  },
  latency: {
    heading: 'Latency by outcome',
    how: 'Each dot is an answer (its height within the row has no meaning). The box spans the middle half, the thick line is the median, the thin line is p99.',
    axis: 'time to the answer (ms, logarithmic)',
    answers: (answers: number) => count(answers, 'answer'),
    row: (code: string, median: string, p99: string, longest: string) =>
      `${code}: median ${median}, p99 ${p99}, longest ${longest}`,
  },
};

export type ReportTexts = typeof english;
