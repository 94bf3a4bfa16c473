/**
 * For tests that run thousands of schedules, in milliseconds. The limit ends a test that hangs; it makes no statement
 * about speed and is far above what a busy machine needs.
 */
export const EXPLORATION_MS = 60 * 60_000;
