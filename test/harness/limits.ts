/**
 * For tests that run thousands of schedules, in milliseconds. The limit ends a test that hangs; it makes no statement
 * about speed and is far above what a busy machine needs.
 */
export const EXPLORATION_MS = 60 * 60_000;

/** Milliseconds without a reply after which a call fails; far above what a busy machine needs. */
export const ANSWER_MS = 60_000;

/** Options for leases and waits in real time that do not end during a test. */
export const LONGER_THAN_A_TEST = { leaseMs: 600_000, waitMs: 300_000 };
