import { ApiChoice, ApiFault, ApiLimit, problem, ProblemError, readChosen, RequestFaults } from '#lab/http';
import type { Fault } from '#lab/step';
import { Controller, Headers, HttpCode, Param, Post, Query, Req, StreamableFile } from '@nestjs/common';
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

/** Maximum `workMs` of an import, whose batch has thousands of lines. */
const MOST_WORK_MS = 100;

/** OpenAPI schema of a batch id. */
const BATCH = { type: 'string', pattern: BATCH_ID.source };

@ApiTags('accounts')
@Controller('accounts/:id/imports')
export class ImportsController {
  constructor(private readonly imports: ImportsService) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary:
      'Enter a batch line by line; the response streams progress, invalid lines and, last, a summary. Sending it again enters only the missing lines',
  })
  @ApiConsumes('application/x-ndjson')
  @ApiProduces('application/x-ndjson')
  @ApiBody({ type: EntryBody, description: 'one entry per line: {"amountMinor":1250,"text":"table 4"}' })
  @ApiQuery({
    name: 'batch',
    required: false,
    description: 'id of the batch; or the header X-Batch-Id',
    schema: BATCH,
  })
  @ApiHeader({ name: 'X-Batch-Id', required: false, schema: BATCH })
  @ApiChoice()
  @ApiLimit()
  @ApiFault('each fault fires once, in the first line that reaches its step; faults of the app account only')
  async import(
    @Param() { id: account }: AccountParams,
    @Query() { batch: inQuery, ...query }: Record<string, unknown>,
    @Headers() headers: Record<string, string | undefined>,
    @RequestFaults() faults: readonly Fault[],
    @Req() { body }: FastifyRequest,
  ): Promise<StreamableFile> {
    if (!(body instanceof Readable))
      throw new ProblemError(
        problem(
          'REQUEST.MEDIA_TYPE',
          'unsupported media type: send application/x-ndjson, one entry per line',
        ),
      );
    const id = { account, batch: readBatch(inQuery ?? headers['x-batch-id']) };
    const chosen = readChosen(query, headers);
    if (chosen.options.workMs > MOST_WORK_MS)
      throw new ProblemError(problem('REQUEST.INVALID', `workMs is at most ${MOST_WORK_MS} for an import`));
    const reports = await this.imports.start(id, body, chosen, faults);
    return new StreamableFile(Readable.from(reports), { type: 'application/x-ndjson' });
  }
}

function readBatch(given: unknown): string {
  const parsed = batch.safeParse(given);
  if (parsed.success) return parsed.data;
  const detail =
    given === undefined
      ? 'the batch has no id: send ?batch=ID or X-Batch-Id. Use the same id when you send it again'
      : z.prettifyError(parsed.error);
  throw new ProblemError(problem('REQUEST.INVALID', detail));
}
