import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Jobs } from './jobs';
import { JobList } from './schemas';

@ApiTags('jobs')
@Controller('jobs')
export class JobsController {
  constructor(private readonly jobs: Jobs) {}

  @Get()
  @ApiOperation({ summary: 'The runs and explorations that have not ended: they share one queue' })
  @ApiOkResponse({ type: JobList })
  list(): JobList {
    return { jobs: this.jobs.list() };
  }
}
