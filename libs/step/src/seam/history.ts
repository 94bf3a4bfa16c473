import type { StepKind } from './step';

/**
 * A history is one JSON object per line. `t` is CLOCK_MONOTONIC in microseconds: comparable between the processes of
 * one machine. `replica` and `pid` say which process wrote the line.
 */
export type HistoryLine =
  RequestLine | StepLine | FaultLine | OutcomeLine | SettledLine | ResetLine | ReconcileLine | ProcessLine;

interface Line {
  readonly t: number;
  readonly replica: string;
  readonly pid: number;
}

/** A request has arrived and names its strategy. */
export interface RequestLine extends Line {
  readonly type: 'request';
  /** The app that writes: a request is seen by the order app and by the inventory app. */
  readonly app: string;
  readonly request: string;
  readonly balance: string;
  readonly delta: number;
  /** What it wants of all balances, that one included, when it is a cart. */
  readonly cart?: readonly { readonly balance: string; readonly delta: number }[];
  readonly strategy: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** One step, written when its reply came (`t` is when it was issued) or, `pending`, when a fault is about to fire. */
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
  /** Which of several servers it went to; absent: the lab's own Redis, or the database. */
  readonly server?: string;
  /** Position among all commands on lock keys, counted by the Redis server itself. */
  readonly order?: number;
  readonly reply?: unknown;
  readonly error?: string;
  readonly pending?: true;
}

/** An injected fault fires now: this line is on disk before it does. */
export interface FaultLine extends Line {
  readonly type: 'fault';
  readonly request: string;
  readonly fault: string;
  readonly action: string;
  /** The step at which it fires. */
  readonly at: string;
}

/** What the request came to: `APPLIED`, or the stable code of its error. */
export interface OutcomeLine extends Line {
  readonly type: 'outcome';
  readonly app: string;
  readonly request: string;
  readonly code: string;
}

/** An order that was left half-way by `request` was brought to its end: it was recorded, or its stock will never be taken. */
export interface SettledLine extends Line {
  readonly type: 'settled';
  readonly request: string;
  readonly outcome: 'completed' | 'given-up';
}

/** A balance was set anew: what came before this line is another story. */
export interface ResetLine extends Line {
  readonly type: 'reset';
  readonly balance: string;
  readonly amount: number;
}

/** What a strategy keeps outside of the database was brought together with it. */
export interface ReconcileLine extends Line {
  readonly type: 'reconcile';
  readonly balance: string;
  readonly strategy: string;
  /** By how many units its count has changed. */
  readonly changed: number;
}

/**
 * What somebody else saw of the process `pid` of `replica`: it started, ended (by which signal), stood still
 * (state T) or went on.
 */
export interface ProcessLine extends Line {
  readonly type: 'start' | 'exit' | 'stopped' | 'resumed';
  readonly signal?: string | null;
  readonly code?: number | null;
  /** Exits only: the supervisor itself had asked for it. */
  readonly asked?: boolean;
  readonly because?: string;
}

/** CLOCK_MONOTONIC in microseconds. */
export const monotonic = (): number => Number(process.hrtime.bigint() / 1000n);
