import { Controller, Delete, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentMember, type Member } from '../classroom';
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

  @Delete()
  @ApiOperation({
    summary:
      'Cancels all of them; only the teacher can. The running one ends when the lab is ready for the next one',
  })
  @ApiOkResponse({ type: JobList })
  cancelAll(@CurrentMember() member: Member): JobList {
    this.jobs.cancelAll(member);
    return this.list();
  }
}
