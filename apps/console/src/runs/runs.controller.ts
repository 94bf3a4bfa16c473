import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  Headers,
  Param,
  Post,
  Query,
  Sse,
  type MessageEvent,
} from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Observable } from 'rxjs';
import { CurrentMember, type Member } from '../classroom';
import { JobParams, lastEventId } from '../jobs';
import { LanguageQuery } from '../language-query';
import { RunsService } from './runs.service';
import { FolderParams, LanesView, PresetParams, RunBody, RunList, RunView } from './schemas';

/** A report has no scripts and loads nothing. */
const REPORT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'";

@ApiTags('run')
@Controller('runs')
export class RunsController {
  constructor(private readonly runs: RunsService) {}

  @Post()
  @ApiOperation({ summary: 'Queues a load run; `lang`: the language of its lanes and images' })
  @ApiCreatedResponse({ type: RunView })
  start(
    @Body() body: RunBody,
    @Query() { lang }: LanguageQuery,
    @CurrentMember() member: Member,
  ): Promise<RunView> {
    return this.runs.start(body, member, lang);
  }

  @Post('presets/:preset')
  @ApiOperation({ summary: 'Queues a predefined run: GET /api/presets' })
  @ApiCreatedResponse({ type: RunView })
  startPreset(
    @Param() { preset }: PresetParams,
    @Query() { lang }: LanguageQuery,
    @CurrentMember() member: Member,
  ): Promise<RunView> {
    return this.runs.startPreset(preset, member, lang);
  }

  @Get()
  @ApiOperation({
    summary: 'The runs of this console, each with its last sample, and the run folders; newest first',
  })
  @ApiOkResponse({ type: RunList })
  list(): RunList {
    return this.runs.list();
  }

  @Get(':id')
  @ApiOperation({ summary: 'A run with all samples so far' })
  @ApiOkResponse({ type: RunView })
  find(@Param() { id }: JobParams): RunView {
    return this.runs.find(id);
  }

  @Delete(':id')
  @ApiOperation({ summary: 'Cancels a run; it ends when the lab is ready for the next one' })
  @ApiOkResponse({ type: RunView })
  cancel(@Param() { id }: JobParams, @CurrentMember() member: Member): RunView {
    return this.runs.cancel(id, member);
  }

  @Sse(':id/events')
  @ApiOperation({ summary: 'Its events: {job}, {sample}, {verdict, folder}; resumes after Last-Event-ID' })
  events(
    @Param() { id }: JobParams,
    @CurrentMember() member: Member,
    @Headers('last-event-id') last?: string,
  ): Observable<MessageEvent> {
    return this.runs.events(id, member, lastEventId(last));
  }

  @Get(':id/lanes')
  @ApiOperation({
    summary: 'The replicas of a run that has not ended: who holds the lock, and what was paused or killed',
  })
  @ApiOkResponse({ type: LanesView })
  lanes(@Param() { id }: JobParams): LanesView {
    return this.runs.lanes(id);
  }

  @Get(':id/report')
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', REPORT_POLICY)
  @ApiProduces('text/html')
  @ApiOperation({ summary: 'The report of a run that has ended, in the language `lang`' })
  report(@Param() { id }: JobParams, @Query() { lang }: LanguageQuery): string {
    return this.runs.report(id, lang);
  }

  @Get('past/:folder/report')
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', REPORT_POLICY)
  @ApiProduces('text/html')
  @ApiOperation({ summary: 'The report of a run folder, in the language `lang`' })
  pastReport(@Param() { folder }: FolderParams, @Query() { lang }: LanguageQuery): string {
    return this.runs.pastReport(folder, lang);
  }
}
