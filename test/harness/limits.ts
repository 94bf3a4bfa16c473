/**
 * For tests that run thousands of schedules, milliseconds. A limit ends a test that hangs; it is no statement about speed,
 * so it is far above what a busy machine needs.
 */
export const EXPLORATION_MS = 60 * 60_000;
