import { ApiChoice, ApiFault, problem, ProblemError, readChosen, RequestRecorder } from '#lab/http';
import {
  Controller,
  Headers,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
  Req,
  StreamableFile,
} from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiHeader,
  ApiOperation,
  ApiProduces,
  ApiQuery,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { AccountParams, batch, BATCH_ID, EntryBody } from '../schemas';
import { ImportsService } from './imports.service';

/** A batch is thousands of lines: more work on each than this, milliseconds, and it would not end. */
const MOST_WORK_MS = 100;

/** As its document says it. */
const BATCH = { type: 'string', pattern: BATCH_ID.source };

@ApiTags('accounts')
@Controller('accounts/:id/imports')
export class ImportsController {
  constructor(
    @Inject(ImportsService) private readonly imports: ImportsService,
    @Inject(RequestRecorder) private readonly requests: RequestRecorder,
  ) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary:
      'Enter a batch, one line after the other; the answer is a stream of progress, wrong lines and, last, a summary. Sent again, only what is missing is entered',
  })
  @ApiConsumes('application/x-ndjson')
  @ApiProduces('application/x-ndjson')
  @ApiBody({ type: EntryBody, description: 'one a line: {"amountMinor":1250,"text":"table 4"}' })
  @ApiQuery({ name: 'batch', required: false, description: 'id of the batch, or as header', schema: BATCH })
  @ApiHeader({ name: 'X-Batch-Id', required: false, schema: BATCH })
  @ApiChoice()
  @ApiFault('each fault fires once, in the first line that reaches its step; faults of the app account only')
  async import(
    @Param() { id: account }: AccountParams,
    @Query() { batch: inQuery, ...query }: Record<string, unknown>,
    @Headers() headers: Record<string, string | undefined>,
    @Req() { body }: FastifyRequest,
  ): Promise<StreamableFile> {
    if (!(body instanceof Readable))
      throw new ProblemError(problem('REQUEST.MEDIA_TYPE', 'send application/x-ndjson: one entry a line'));
    const id = { account, batch: readBatch(inQuery ?? headers['x-batch-id']) };
    const chosen = readChosen(query, headers);
    if (chosen.options.workMs > MOST_WORK_MS)
      throw new ProblemError(
        problem('REQUEST.INVALID', `workMs: an import works at most ${MOST_WORK_MS} ms on a line`),
      );
    const reports = await this.imports.start(id, body, chosen, this.requests.readFaults(headers['x-fault']));
    return new StreamableFile(Readable.from(reports), { type: 'application/x-ndjson' });
  }
}

function readBatch(given: unknown): string {
  const parsed = batch.safeParse(given);
  if (parsed.success) return parsed.data;
  const detail =
    given === undefined
      ? 'name the batch: ?batch=ID or X-Batch-Id. Whoever sends it again, after whatever has happened, gives the same'
      : z.prettifyError(parsed.error);
  throw new ProblemError(problem('REQUEST.INVALID', detail));
}
