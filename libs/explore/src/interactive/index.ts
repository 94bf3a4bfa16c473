export type { Control, DisabledReason } from './control';
export {
  ChoiceNotEnabled,
  InteractiveSchedule,
  type ActorView,
  type ScheduleView,
} from './interactive-schedule';
export type { SourcePosition } from './source-position';
