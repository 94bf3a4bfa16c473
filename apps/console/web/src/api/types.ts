import type { components } from './schema';

/** The shapes of the console's API by name. */
type Schemas = components['schemas'];

export type StepView = Schemas['StepView'];
export type BeginBody = Schemas['BeginBody'];
export type Control = StepView['controls'][number];
export type DisabledReason = NonNullable<Control['disabled']>;
export type ScheduleEvent = StepView['events'][number];
export type StepActor = StepView['actors'][number];
export type Violation = StepView['violations'][number];

export type ExplorationBody = Schemas['ExplorationBody'];
export type ExplorationView = Schemas['ExplorationView'];
export type Counts = NonNullable<ExplorationView['counts']>;
export type Witness = NonNullable<ExplorationView['witness']>;

export type RunBody = Schemas['RunBody'];
export type RunView = Schemas['RunView'];
export type RunVerdict = NonNullable<RunView['verdict']>;
export type Sample = RunView['samples'][number];
export type RunList = Schemas['RunList'];
export type Preset = Schemas['Preset'];
/** Options of a strategy; an absent one has its default. */
export type OptionValues = RunBody['options'];

export type Job = RunView['job'];
export type JobList = Schemas['JobList'];
/** An event of a job, besides its state. OpenAPI does not describe the events of a stream. */
export type JobEvent =
  | { readonly job: Job }
  | { readonly counts: Counts }
  | { readonly witness: Witness }
  | { readonly sample: Sample }
  | { readonly verdict: RunVerdict; readonly folder: string };

export type StrategyView = Schemas['StrategyView'];
export type Vocabulary = Schemas['Vocabulary'];
export type MatrixView = Schemas['MatrixView'];
export type MatrixCell = MatrixView['rows'][number]['cells'][number];
export type Mark = Exclude<MatrixCell['mark'], 'none'>;

/** The languages of the page and of the lessons. */
export type Language = 'en' | 'zh';

export type Goal = Schemas['GoalView'];
export type GoalResult = Schemas['GoalResult'];
export type Classroom = Schemas['ClassroomView'];
export type Board = Schemas['BoardView'];
export type LabView = Schemas['LabView'];

/** The answer to a request that is refused: RFC 9457. */
export interface Problem {
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors?: unknown;
}
