import type { Language } from '#lab/verdict';
import type { LoadPlan } from '#load-tests/run';
import type { RunVerdict } from './run-view';
import type { Sample } from './run-watch';

/** What the process of a run receives first. */
export interface RunOrder {
  readonly labFolder: string;
  readonly plan: LoadPlan;
  readonly title: string;
  /** Of the lanes and the images. */
  readonly language: Language;
}

/** What it may receive later. */
export const CANCEL = 'cancel';

/** A run that has ended with a verdict. */
export interface RunResult {
  readonly verdict: RunVerdict;
  readonly folder: string;
}

/** What the process of a run sends. The last message is `result` or `failed`. */
export type RunMessage =
  | { readonly sample: Sample }
  | { readonly progress: { readonly text: string; readonly done: number; readonly of: number } }
  /** An HTML section: see `renderLiveLanes`. */
  | { readonly lanes: string }
  | { readonly result: RunResult }
  | { readonly failed: string; readonly code: string };
