import { Module, type DynamicModule } from '@nestjs/common';
import { join } from 'node:path';
import { projectRoot } from '#lab/stack';
import { CatalogueController } from './catalogue/catalogue.controller';
import { Classroom, ClassroomController } from './classroom';
import { ConsoleOptions } from './console-options';
import { ExplorationsController } from './explorations/explorations.controller';
import { ExplorationsService } from './explorations/explorations.service';
import { Explorer } from './explorations/explorer';
import { KeptExplorations } from './explorations/kept-explorations';
import { GoalsController } from './goals/goals.controller';
import { GoalsService } from './goals/goals.service';
import { Jobs, JobsController } from './jobs';
import { Lab, LabController } from './lab';
import { LessonsController } from './lessons/lessons.controller';
import { PresetsController } from './runs/presets.controller';
import { RunsController } from './runs/runs.controller';
import { RunsService } from './runs/runs.service';
import { ScheduleServers } from './steps/schedule-servers';
import { Schedules } from './steps/schedules';
import { StepsController } from './steps/steps.controller';

@Module({})
class ConsoleModule {}

/** `isClass`: several browsers use the console, each under its name. */
export function consoleModule({
  labFolder,
  isClass,
}: {
  labFolder: string;
  isClass: boolean;
}): DynamicModule {
  const options: ConsoleOptions = {
    labFolder,
    scheduleFolder: join(projectRoot(), '.lab', `console-${process.pid}`),
    proofFolder: join(projectRoot(), '.lab', 'proofs'),
  };
  return {
    module: ConsoleModule,
    controllers: [
      CatalogueController,
      LabController,
      RunsController,
      PresetsController,
      StepsController,
      ExplorationsController,
      JobsController,
      GoalsController,
      LessonsController,
      ClassroomController,
    ],
    providers: [
      { provide: ConsoleOptions, useValue: options },
      { provide: Classroom, useValue: new Classroom(isClass) },
      ScheduleServers,
      Schedules,
      Jobs,
      Lab,
      RunsService,
      Explorer,
      KeptExplorations,
      ExplorationsService,
      GoalsService,
    ],
  };
}
