import { Module, type DynamicModule } from '@nestjs/common';
import { join } from 'node:path';
import { projectRoot } from '#lab/stack';
import { ConsoleOptions } from './console-options';
import { ExplorationsController } from './explorations/explorations.controller';
import { ExplorationsService } from './explorations/explorations.service';
import { Explorer } from './explorations/explorer';
import { Jobs } from './jobs';
import { ScheduleServers } from './steps/schedule-servers';
import { Schedules } from './steps/schedules';
import { StepsController } from './steps/steps.controller';

@Module({})
class ConsoleModule {}

export function consoleModule({ labFolder }: Pick<ConsoleOptions, 'labFolder'>): DynamicModule {
  const options: ConsoleOptions = {
    labFolder,
    scheduleFolder: join(projectRoot(), '.lab', `console-${process.pid}`),
  };
  return {
    module: ConsoleModule,
    controllers: [StepsController, ExplorationsController],
    providers: [
      { provide: ConsoleOptions, useValue: options },
      ScheduleServers,
      Schedules,
      Jobs,
      Explorer,
      ExplorationsService,
    ],
  };
}
