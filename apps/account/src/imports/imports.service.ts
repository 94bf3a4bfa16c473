import { Balances } from '#lab/balance';
import { log, problem, problemOf, ProblemError, type Chosen } from '#lab/http';
import type { Fault } from '#lab/step';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { AlreadyEntered, balanceOf } from '../account-errors';
import { AccountsService } from '../accounts.service';
import { ArmedFaults } from '../armed-faults';
import { EntriesService } from '../entries.service';
import { Batches, type BatchId, type LineRow } from './batches';
import { linesOf, type ImportLine } from './lines';

/** Maximum size of a batch, in lines and in bytes. */
const MOST_LINES = 10_000;
const MOST_BYTES = 16 * 1024 * 1024;
/** Maximum number of concurrent imports per replica: each occupies a database connection. */
const MOST_IMPORTS = 4;
/** Maximum duration of an upload, which occupies a connection. Milliseconds. */
const LONGEST_UPLOAD_MS = 60_000;
/** Number of lines per write or read. */
const PAGE = 500;
/** Progress is reported after this number of lines or milliseconds, whichever is first. */
const REPORT_LINES = 100;
const REPORT_MS = 500;

/** The progress of an import. */
interface Counts {
  lines: number;
  /** Entered by this import. */
  applied: number;
  /** Entered by an earlier import of the same batch. */
  alreadyApplied: number;
  /** Refused by the strategy or the account; retried when the batch is sent again. */
  refused: number;
  /** Invalid lines, which cannot be entered. */
  invalid: number;
}

/** One line of the response. The last one is a `summary`, or `stopped` with the reason. */
type Report =
  | ({ readonly type: 'progress' } & Readonly<Counts>)
  | { readonly type: 'error'; readonly line: number; readonly code: string; readonly detail: string }
  | ({
      readonly type: 'summary';
      readonly balanceMinor: number;
      readonly agrees: boolean;
      /** Faults of the request whose step no entry reached. */
      readonly faultsNotFired?: readonly string[];
    } & BatchId &
      Readonly<Counts>)
  | ({ readonly type: 'stopped'; readonly code: string; readonly detail: string } & Readonly<Counts>);

/**
 * Imports a merchant's batch in two phases. First all lines are stored as they arrive, because only the hash of the whole
 * batch shows whether it is the one sent before under that id. Then each line is entered with the strategy, under an id made
 * of batch and line, so that sending the batch again after any failure enters only the missing lines.
 */
@Injectable()
export class ImportsService implements OnModuleDestroy {
  private running = 0;
  private isStopping = false;

  constructor(
    private readonly accounts: AccountsService,
    private readonly entries: EntriesService,
    private readonly balances: Balances,
    private readonly batches: Batches,
  ) {}

  /** Running imports stop after their current line. */
  onModuleDestroy(): void {
    this.isStopping = true;
  }

  /**
   * Stores the batch and returns its reports, one line of text each; the entries are made while the reports are read. Throws
   * when the whole batch is refused.
   */
  async start(
    id: BatchId,
    body: Readable,
    chosen: Chosen,
    faults: readonly Fault[],
  ): Promise<AsyncGenerator<string>> {
    await this.accounts.assertKnown(id.account);
    if (this.running >= MOST_IMPORTS)
      throw refusal('IMPORT.TOO_MANY', `this replica already runs ${MOST_IMPORTS} imports: try again later`);
    this.running++;
    let release: (() => Promise<void>) | undefined;
    const end = async (): Promise<void> => {
      this.running--;
      await release?.();
    };
    try {
      release = await this.batches.hold(id);
      if (release === undefined)
        throw refusal(
          'IMPORT.RUNNING',
          `batch ${id.batch} is being imported: wait for the end of that import, then send it again`,
        );
      await this.store(id, body);
      const reports = this.enterAll(id, chosen, faults, end);
      await reports.next(); // enters its `try`, so that `end` is called even if no report is read
      return reports;
    } catch (error) {
      body.resume(); // otherwise the connection would wait for a reader of the rest
      await end();
      throw error;
    }
  }

  /** Stores the lines, unless the same batch is already stored. */
  private async store(id: BatchId, body: Readable): Promise<void> {
    const known = await this.batches.digestOf(id);
    if (known === undefined) await this.batches.forgetLines(id); // lines of an interrupted upload
    const hash = createHash('sha256');
    let lines = 0;
    let page: ImportLine[] = [];
    try {
      for await (const line of linesOf(bounded(body, hash))) {
        if (++lines > MOST_LINES)
          throw refusal('REQUEST.TOO_LARGE', `a batch has at most ${MOST_LINES} lines: nothing was entered`);
        if (known !== undefined) continue;
        page.push(line);
        if (page.length < PAGE) continue;
        await this.batches.addLines(id, page);
        page = [];
      }
      const digest = hash.digest('hex');
      if (known === undefined) {
        await this.batches.addLines(id, page);
        await this.batches.complete(id, digest);
      } else if (known !== digest)
        throw refusal(
          'IMPORT.OTHER_CONTENT',
          `batch ${id.batch} was sent before with different content: nothing was entered. Use a new id for a new batch`,
        );
    } catch (error) {
      if (known === undefined) await this.batches.forgetLines(id);
      throw error;
    }
  }

  private async *enterAll(
    id: BatchId,
    chosen: Chosen,
    faults: readonly Fault[],
    end: () => Promise<void>,
  ): AsyncGenerator<string> {
    const counts: Counts = { lines: 0, applied: 0, alreadyApplied: 0, refused: 0, invalid: 0 };
    let reportedAt = performance.now();
    const armed = new ArmedFaults(faults);
    try {
      yield '';
      let page = await this.batches.linesAfter(id, 0, PAGE);
      while (page.length > 0) {
        const entered = await this.balances.requestsWithMovement(
          balanceOf(id.account),
          page.map(({ line }) => entryOf(id, line)),
        );
        for (const row of page) {
          if (this.isStopping) {
            yield toLine({ type: 'stopped', ...counts, ...STOPPING });
            return;
          }
          counts.lines++;
          if (entered.has(entryOf(id, row.line))) counts.alreadyApplied++;
          else {
            const error = await this.enter(id, row, counts, chosen, armed);
            if (error !== undefined) yield toLine(error);
          }
          if (counts.lines % REPORT_LINES === 0 || performance.now() - reportedAt > REPORT_MS) {
            yield toLine({ type: 'progress', ...counts });
            reportedAt = performance.now();
          }
        }
        page = await this.batches.linesAfter(id, page.at(-1)?.line ?? 0, PAGE);
      }
      const { balanceMinor, agrees } = await this.accounts.find(id.account);
      const unfired = armed.all.map(({ source }) => source);
      yield toLine({
        type: 'summary',
        ...id,
        ...counts,
        ...(unfired.length > 0 && { faultsNotFired: unfired }),
        balanceMinor,
        agrees,
      });
    } catch (error) {
      const answer = problemOf(error);
      const { code, detail } = answer;
      log.answered(answer, error, { account: id.account, batch: id.batch });
      yield toLine({
        type: 'stopped',
        ...counts,
        code,
        detail: `${detail}. Send the batch again: only the missing lines are entered`,
      });
    } finally {
      await end(); // also when the client stops reading
    }
  }

  /** Enters and counts one line; returns the report of its error, if any. */
  private async enter(
    id: BatchId,
    { line, amountMinor, text, error: invalid }: LineRow,
    counts: Counts,
    chosen: Chosen,
    armed: ArmedFaults,
  ): Promise<Report | undefined> {
    if (invalid !== null || amountMinor === null) {
      counts.invalid++;
      return { type: 'error', line, code: 'REQUEST.INVALID', detail: invalid ?? 'the line has no amount' };
    }
    try {
      const entry = { account: id.account, amountMinor, text, request: entryOf(id, line) };
      await this.entries.enter(entry, chosen, armed.all, armed);
      counts.applied++;
      return undefined;
    } catch (error) {
      if (error instanceof AlreadyEntered) {
        counts.alreadyApplied++;
        return undefined;
      }
      const answer = problemOf(error);
      const { code, detail } = answer;
      log.answered(answer, error, { request: entryOf(id, line) });
      counts.refused++;
      return { type: 'error', line, code, detail };
    }
  }
}

const toLine = (report: Report): string => `${JSON.stringify(report)}\n`;

/** Id of the line's entry. Unique, because the ids of client requests contain no colon. */
const entryOf = ({ batch }: BatchId, line: number): string => `${batch}:${line}`;

const STOPPING = {
  code: 'DEPENDENCY.DOWN',
  detail: 'this replica is stopping: send the batch again to enter the remaining lines',
};

const refusal = (code: string, detail: string): ProblemError => new ProblemError(problem(code, detail));

/**
 * Yields and hashes the body's chunks; throws at the limits of bytes and time. Leaves the connection open when its
 * reader stops.
 */
async function* bounded(body: Readable, hash: ReturnType<typeof createHash>): AsyncGenerator<Buffer> {
  let bytes = 0;
  const tooSlow = setTimeout(() => {
    body.destroy(new Error(`the batch did not arrive within ${LONGEST_UPLOAD_MS / 1000} s: send it again`));
  }, LONGEST_UPLOAD_MS);
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MOST_BYTES)
        throw refusal('REQUEST.TOO_LARGE', `a batch has at most ${MOST_BYTES} bytes: nothing was entered`);
      hash.update(chunk);
      yield chunk;
    }
  } finally {
    clearTimeout(tooSlow);
  }
}
