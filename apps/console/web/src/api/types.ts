/** The shapes of the console's API: apps/console/src/SUBJECT/schemas.ts. */

type Harm = 'data-wrong' | 'unavailable' | 'lock-broken';
export type Mark = Harm | 'safe' | 'unknown';

export interface Problem {
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors?: unknown;
}

export interface SourcePosition {
  readonly file: string;
  readonly line: number;
}

interface LockChange {
  readonly key: string;
  readonly change: 'taken' | 'replaced' | 'released' | 'renewed' | 'expired' | 'flushed';
  readonly by?: string;
  readonly owner?: string;
}

export interface ScheduleEvent {
  readonly n: number;
  readonly at?: number;
  readonly type: 'step' | 'fault' | 'time' | 'warn' | 'end';
  readonly actor?: string;
  readonly kind?: string;
  readonly text: string;
  readonly reply?: string;
  readonly error?: string;
  readonly fault?: string;
  readonly isTimer?: boolean;
  readonly answeredAt?: number;
  readonly code?: string;
  readonly locks?: readonly LockChange[];
}

export interface Violation {
  readonly kind: string;
  readonly harm: Harm;
  readonly sentence: string;
  readonly at: readonly number[];
}

export interface DisabledReason {
  readonly code:
    | 'over'
    | 'ended'
    | 'died'
    | 'not-begun'
    | 'blocked'
    | 'mutex'
    | 'waiting'
    | 'idle'
    | 'no-lease'
    | 'no-timer'
    | 'no-session'
    | 'no-work'
    | 'nothing-stored'
    | 'already';
  readonly outcome?: string;
  readonly statement?: string;
  readonly key?: string;
  readonly by?: readonly string[];
}

export interface Control {
  readonly choice: string;
  readonly kind: string;
  readonly actor?: string;
  readonly process?: number;
  readonly server?: number;
  readonly disabled?: DisabledReason;
}

export interface StepActor {
  readonly name: string;
  readonly process: number;
  readonly alive: boolean;
  readonly cut: boolean;
  readonly outcome?: string;
  readonly next?: { readonly kind: string; readonly text: string; readonly isInFlight: boolean };
  readonly at: readonly SourcePosition[];
}

export type OptionValues = Readonly<Record<string, number | string>>;

export interface StepView {
  readonly token: string;
  readonly undo?: string;
  readonly start: string;
  readonly strategy: string;
  readonly stock: number;
  readonly options: OptionValues;
  readonly choices: number;
  readonly actors: readonly StepActor[];
  readonly controls: readonly Control[];
  readonly events: readonly ScheduleEvent[];
  readonly now: number;
  readonly balances: Readonly<Record<string, number>>;
  readonly movements: readonly {
    readonly balance: string;
    readonly request: string;
    readonly delta: number;
    readonly before: number;
    readonly after: number;
  }[];
  readonly locks: readonly { readonly key: string; readonly owner?: string; readonly remainingMs?: number }[];
  readonly violations: readonly Violation[];
  readonly protections: readonly string[];
  readonly isOver: boolean;
}

export interface BeginBody {
  readonly strategy: string;
  readonly actors: string;
  readonly stock: number;
  readonly options: OptionValues;
}

export interface Job {
  readonly id: string;
  readonly kind: 'run' | 'exploration';
  readonly state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  readonly ahead: number;
  readonly progress: { readonly text: string; readonly done: number; readonly of?: number };
  readonly error?: string;
  readonly elapsedMs: number;
}

export interface Counts {
  readonly schedules: number;
  readonly violating: number;
  readonly harms: Readonly<Record<Harm, number>>;
  readonly kinds: Readonly<Record<string, number>>;
  readonly fired: Readonly<Record<string, number>>;
  readonly interleavings?: Readonly<Record<Harm | 'all', number>>;
  readonly protections: Readonly<Record<string, number>>;
  readonly searched: number;
  readonly mark: Mark;
  readonly because?: string;
  readonly isPartial: boolean;
}

export interface Witness {
  readonly kind: string;
  readonly token: string;
  readonly actors: readonly { readonly name: string; readonly process: string }[];
  readonly events: readonly ScheduleEvent[];
  readonly violations: readonly Violation[];
  readonly mechanism?: string;
  readonly passes?: string;
  readonly mermaid: string;
}

export interface ExplorationBody extends BeginBody {
  readonly faults: string;
  readonly seconds: number;
}

export interface ExplorationView {
  readonly job: Job;
  readonly strategy: string;
  readonly actors: string;
  readonly stock: number;
  readonly faults: string;
  readonly counts?: Counts;
  readonly witness?: Witness;
}

export type ExplorationEvent =
  { readonly job: Job } | { readonly counts: Counts } | { readonly witness: Witness };

export interface RunBody {
  readonly strategy: string;
  readonly stock: number;
  readonly requests: number;
  readonly connections: number;
  readonly replicas: number;
  readonly options: OptionValues;
  readonly fault?: string;
  readonly faultOn?: string;
}

export interface Sample {
  readonly atMs: number;
  readonly stock: number;
  readonly sold: number;
  readonly answers: Readonly<Record<string, number>>;
  readonly replicas: Readonly<Record<string, number>>;
  readonly inFlight: number;
}

export interface RunVerdict {
  readonly verdict: 'violated' | 'safe' | 'unknown';
  readonly mark: string;
  readonly headline: string;
  readonly asExpected: boolean;
  readonly because: readonly string[];
  readonly initial: number;
  readonly final: number;
  readonly sold: number;
  readonly oversold: number;
  readonly lostUpdates: number;
  readonly violations: readonly string[];
  readonly mechanism?: string;
  readonly requests: readonly string[];
}

export interface RunView {
  readonly job: Job;
  readonly title: string;
  readonly plan: {
    readonly strategy: string;
    readonly stock: number;
    readonly requests: number;
    readonly connections: number;
    readonly replicas: number;
    readonly options: OptionValues;
    readonly fault?: string;
  };
  readonly samples: readonly Sample[];
  readonly verdict?: RunVerdict;
  readonly folder?: string;
}

export type RunEvent =
  | { readonly job: Job }
  | { readonly sample: Sample }
  | { readonly verdict: RunVerdict; readonly folder: string };

export interface PastRun {
  readonly folder: string;
  readonly name: string;
  readonly at: string;
  readonly verdict?: RunVerdict;
}

export interface RunList {
  readonly current: readonly RunView[];
  readonly past: readonly PastRun[];
}

export interface Preset {
  readonly name: string;
  readonly shows: string;
  readonly strategy: string;
  readonly group: 'demo' | 'more';
  readonly needs: readonly string[];
}

export interface StrategyView {
  readonly name: string;
  readonly mechanism: string;
  readonly defect: string;
  readonly source: string;
  readonly next: { readonly strategy?: string; readonly why: string };
  readonly options: readonly string[];
  readonly needs: readonly string[];
  readonly keeps: readonly string[];
  readonly lacks: readonly string[];
  readonly files: readonly string[];
  readonly presets: readonly string[];
}

export interface Vocabulary {
  readonly capabilities: Readonly<Record<string, string>>;
  readonly faults: Readonly<Record<string, string>>;
}

export interface MatrixCell {
  readonly cell: string;
  readonly mark: Mark | 'none';
  readonly schedules: number;
  readonly violating: number;
  readonly isPartial: boolean;
  readonly token?: string;
  readonly sentence?: string;
  readonly passes?: string;
}

export interface MatrixRow {
  readonly strategy: string;
  readonly isStale: boolean;
  readonly cells: readonly MatrixCell[];
}

export interface MatrixView {
  readonly conditions: Readonly<Record<string, unknown>>;
  readonly cells: readonly string[];
  readonly rows: readonly MatrixRow[];
}

export interface LabView {
  readonly isRunning: boolean;
  readonly shop?: string;
  readonly replicas: readonly {
    readonly name: string;
    readonly app: string;
    readonly state: string;
    readonly starts: number;
  }[];
  readonly components: readonly string[];
}

export interface Goal {
  readonly id: string;
  readonly task: 'show' | 'prove';
  readonly strategy: string;
  readonly actors: string;
  readonly kind?: string;
  readonly choices?: number;
  readonly faults?: string;
}

export interface GoalResult {
  readonly reached: boolean;
  readonly because?: string;
}

export interface Classroom {
  readonly isOpen: boolean;
  readonly member?: { readonly name: string; readonly isTeacher: boolean };
  readonly code?: string;
}

export interface Board {
  readonly rows: readonly { readonly name: string; readonly goals: readonly string[] }[];
}
