export { CRASH_CASES, type CrashCase } from './crash-case';
export { renderCrashes } from './page';
export type { CrashPoint } from './points';
export { crashAt, enumerate, type Crash, type Finder, type CrashEnvironment } from './run-crash';
