import { Body, Controller, Delete, Get, Headers, Param, Post, Sse, type MessageEvent } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Observable } from 'rxjs';
import { CurrentMember, type Member } from '../classroom';
import { JobParams, lastEventId } from '../jobs';
import { ExplorationsService } from './explorations.service';
import { ExplorationBody, ExplorationView } from './schemas';

@ApiTags('explore')
@Controller('explorations')
export class ExplorationsController {
  constructor(private readonly explorations: ExplorationsService) {}

  @Post()
  @ApiOperation({ summary: 'Runs every interleaving of the steps of some buyers, with faults' })
  @ApiOkResponse({ type: ExplorationView })
  start(@Body() body: ExplorationBody, @CurrentMember() member: Member): ExplorationView {
    return this.explorations.start(body, member);
  }

  @Get(':id')
  @ApiOperation({ summary: 'An exploration with what it has found so far' })
  @ApiOkResponse({ type: ExplorationView })
  find(@Param() { id }: JobParams): ExplorationView {
    return this.explorations.find(id);
  }

  @Delete(':id')
  @ApiOperation({ summary: 'Cancels an exploration; what it has found stays' })
  @ApiOkResponse({ type: ExplorationView })
  cancel(@Param() { id }: JobParams, @CurrentMember() member: Member): ExplorationView {
    return this.explorations.cancel(id, member);
  }

  @Sse(':id/events')
  @ApiOperation({ summary: 'Its events: {job}, {counts}, {witness}; resumes after Last-Event-ID' })
  events(
    @Param() { id }: JobParams,
    @CurrentMember() member: Member,
    @Headers('last-event-id') last?: string,
  ): Observable<MessageEvent> {
    return this.explorations.events(id, member, lastEventId(last));
  }
}
