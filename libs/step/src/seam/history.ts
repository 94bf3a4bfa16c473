import type { LockEffect } from './lock';
import type { StepKind } from './step';

/**
 * A history is one JSON object per line. `t` is CLOCK_MONOTONIC in microseconds: comparable between the processes of
 * one machine. `replica` and `pid` identify the process that wrote the line.
 */
export type HistoryLine =
  | RequestLine
  | StepLine
  | FaultLine
  | OutcomeLine
  | DecisionLine
  | SettledLine
  | ResetLine
  | ReconcileLine
  | ProcessLine
  | RotatedLine;

interface Line {
  readonly t: number;
  readonly replica: string;
  readonly pid: number;
}

/** The start of a request, with its strategy. */
export interface RequestLine extends Line {
  readonly type: 'request';
  /** The app that wrote the line: both the order app and the inventory app record a request. */
  readonly app: string;
  readonly request: string;
  readonly balance: string;
  readonly delta: number;
  /** Carts only: all its changes, including that of `balance`. */
  readonly cart?: readonly { readonly balance: string; readonly delta: number }[];
  readonly strategy: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** One step, written when its reply arrives (`t` is the time of issue) or, `pending`, just before a fault fires. */
export interface StepLine extends Line {
  readonly type: 'step';
  readonly request: string;
  /** Number of the step within its request, from 1. */
  readonly n: number;
  /** Microseconds from issue to reply. */
  readonly took: number;
  readonly kind: StepKind;
  readonly verb: string;
  readonly text: string;
  readonly key?: string;
  readonly script?: string;
  /** What the step did to a lock, if it is a command on one. */
  readonly lock?: LockEffect;
  /** The server, where there are several of a kind; absent: the lab's own Redis, or the database. */
  readonly server?: string;
  /** Position in the server's own order of the commands on locks. */
  readonly order?: number;
  readonly reply?: unknown;
  readonly error?: string;
  /** The stable code of the error: its own, or the database driver's. */
  readonly errorCode?: string;
  readonly pending?: true;
}

/** An injected fault: this line is on disk before the fault fires. */
export interface FaultLine extends Line {
  readonly type: 'fault';
  readonly request: string;
  readonly fault: string;
  readonly action: string;
  /** The step at which it fires. */
  readonly at: string;
}

/** The result of a request: `APPLIED`, or the stable code of its error. */
export interface OutcomeLine extends Line {
  readonly type: 'outcome';
  readonly app: string;
  readonly request: string;
  readonly code: string;
}

/** What a rate limiter decided about a request. `t`: when the replica knew it; of a request that waited, when it continued. */
export interface DecisionLine extends Line {
  readonly type: 'decision';
  readonly request: string;
  readonly limiter: string;
  readonly client: string;
  readonly max: number;
  readonly windowMs: number;
  readonly burst: number;
  readonly admitted: boolean;
  /** When Redis decided, milliseconds by its own clock. Absent: the limiter does not read that clock. */
  readonly at?: number;
  /** Redis did not answer: the request was admitted (`open`) or refused (`closed`) without a decision. */
  readonly onError?: 'open' | 'closed';
}

/** An unfinished order of `request` was settled: it was recorded, or its stock will never be taken. */
export interface SettledLine extends Line {
  readonly type: 'settled';
  readonly request: string;
  readonly outcome: 'completed' | 'given-up';
}

/** A balance was reset: lines before this one do not count for it. */
export interface ResetLine extends Line {
  readonly type: 'reset';
  readonly balance: string;
  readonly amount: number;
}

/** A strategy's count outside of the database was reconciled with the database. */
export interface ReconcileLine extends Line {
  readonly type: 'reconcile';
  readonly balance: string;
  readonly strategy: string;
  /** Units by which the count changed. */
  readonly changed: number;
}

/**
 * What another process observed of the process `pid` of `replica`: it started, exited (with code or signal), was stopped
 * (state T) or resumed.
 */
export interface ProcessLine extends Line {
  readonly type: 'start' | 'exit' | 'stopped' | 'resumed';
  readonly signal?: string | null;
  readonly code?: number | null;
  /** Exits only: requested by the supervisor itself. */
  readonly asked?: boolean;
  readonly because?: string;
}

/**
 * The files of a replica were rotated: its lines with `t` ≤ `droppedUntil` may be missing. A reading of the history has this
 * line only when lines are missing that it should have.
 */
export interface RotatedLine extends Line {
  readonly type: 'rotated';
  /** The time of the rotation, by the clock of the machine. */
  readonly at: string;
  /** Size of all lines of this replica that were dropped so far. */
  readonly droppedBytes: number;
  /** null: nothing was dropped yet. */
  readonly droppedUntil: number | null;
}

/** CLOCK_MONOTONIC in microseconds. */
export const monotonic = (): number => Number(process.hrtime.bigint() / 1000n);
