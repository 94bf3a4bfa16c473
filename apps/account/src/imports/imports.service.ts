import { Balances } from '#lab/balance';
import { problem, problemOf, ProblemError, type Chosen } from '#lab/http';
import type { Fault } from '#lab/step';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { AlreadyEntered, balanceOf } from '../account-errors';
import { AccountsService } from '../accounts.service';
import { ArmedFaults } from '../armed-faults';
import { EntriesService } from '../entries.service';
import { Batches, type BatchId, type LineRow } from './batches';
import { linesOf, type ImportLine } from './lines';

/** Lines that a batch may have, and bytes. */
const MOST_LINES = 10_000;
const MOST_BYTES = 16 * 1024 * 1024;
/** Imports of one replica at a time: each has a database connection of its own. */
const MOST_IMPORTS = 4;
/** A batch must have come after so many milliseconds: it keeps a connection. */
const LONGEST_UPLOAD_MS = 60_000;
/** Lines that are written and read at a time. */
const PAGE = 500;
/** Progress is reported after so many lines or milliseconds, whichever is first. */
const REPORT_LINES = 100;
const REPORT_MS = 500;

/** How far an import is. */
interface Counts {
  lines: number;
  /** Entered by this import. */
  applied: number;
  /** Entered by an earlier one of the same batch. */
  alreadyApplied: number;
  /** The strategy or the account said no: sent again, they are tried again. */
  refused: number;
  /** Cannot be entered as they are. */
  invalid: number;
}

/** One line of the answer. The last one is a `summary`, or says why there is none. */
type Report =
  | ({ readonly type: 'progress' } & Readonly<Counts>)
  | { readonly type: 'error'; readonly line: number; readonly code: string; readonly detail: string }
  | ({
      readonly type: 'summary';
      readonly balanceMinor: number;
      readonly agrees: boolean;
      /** Faults that the import carried and whose step no entry reached. */
      readonly faultsNotFired?: readonly string[];
    } & BatchId &
      Readonly<Counts>)
  | ({ readonly type: 'stopped'; readonly code: string; readonly detail: string } & Readonly<Counts>);

/**
 * Imports a merchant's batch in two halves. First all its lines are laid down, as they come: only then is it known
 * whether a batch of that id is the one that came before. Then each line is entered by the strategy, under an id made
 * of batch and line: whoever sends the batch again, after whatever has happened, enters what is missing.
 */
@Injectable()
export class ImportsService implements OnModuleDestroy {
  private running = 0;
  private isStopping = false;

  constructor(
    @Inject(AccountsService) private readonly accounts: AccountsService,
    @Inject(EntriesService) private readonly entries: EntriesService,
    @Inject(Balances) private readonly balances: Balances,
    @Inject(Batches) private readonly batches: Batches,
  ) {}

  /** What is being entered ends behind its line. */
  onModuleDestroy(): void {
    this.isStopping = true;
  }

  /**
   * Takes the batch, and hands back the reports, a line of text each: entries are made as they are read. Throws what keeps
   * all of it out.
   */
  async start(
    id: BatchId,
    body: Readable,
    chosen: Chosen,
    faults: readonly Fault[],
  ): Promise<AsyncGenerator<string>> {
    await this.accounts.assertKnown(id.account);
    if (this.running >= MOST_IMPORTS)
      throw refusal(
        'IMPORT.TOO_MANY',
        `this replica runs ${MOST_IMPORTS} imports already: try again in a moment`,
      );
    this.running++;
    let letGo: (() => Promise<void>) | undefined;
    const end = async (): Promise<void> => {
      this.running--;
      await letGo?.();
    };
    try {
      letGo = await this.batches.hold(id);
      if (letGo === undefined)
        throw refusal(
          'IMPORT.RUNNING',
          `batch ${id.batch} is being imported: wait for its end, then send it again`,
        );
      await this.take(id, body);
      const reports = this.enterAll(id, chosen, faults, end);
      await reports.next(); // from now on its end is called, also when nobody reads anything
      return reports;
    } catch (error) {
      body.resume(); // else the connection waits for somebody to read the rest
      await end();
      throw error;
    }
  }

  /** Lays the lines down, or finds that they are there. */
  private async take(id: BatchId, body: Readable): Promise<void> {
    const known = await this.batches.digestOf(id);
    if (known === undefined) await this.batches.forgetLines(id); // of one who was cut off in the middle
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
          `batch ${id.batch} came before with another content: nothing was entered. A new batch needs an id of its own`,
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
        const there = await this.balances.requestsWithMovement(
          balanceOf(id.account),
          page.map(({ line }) => entryOf(id, line)),
        );
        for (const row of page) {
          if (this.isStopping) {
            yield said({ type: 'stopped', ...counts, ...STOPPING });
            return;
          }
          counts.lines++;
          if (there.has(entryOf(id, row.line))) counts.alreadyApplied++;
          else {
            const error = await this.enter(id, row, counts, chosen, armed);
            if (error !== undefined) yield said(error);
          }
          if (counts.lines % REPORT_LINES === 0 || performance.now() - reportedAt > REPORT_MS) {
            yield said({ type: 'progress', ...counts });
            reportedAt = performance.now();
          }
        }
        page = await this.batches.linesAfter(id, page.at(-1)?.line ?? 0, PAGE);
      }
      const { balanceMinor, agrees } = await this.accounts.find(id.account);
      const unfired = armed.all.map(({ source }) => source);
      yield said({
        type: 'summary',
        ...id,
        ...counts,
        ...(unfired.length > 0 && { faultsNotFired: unfired }),
        balanceMinor,
        agrees,
      });
    } catch (error) {
      const { code, detail } = problemOf(error);
      yield said({
        type: 'stopped',
        ...counts,
        code,
        detail: `${detail}. Send the batch again: what is entered stays so`,
      });
    } finally {
      await end(); // also when nobody reads any more
    }
  }

  /** Enters one line, counts it, and says what was wrong with it. */
  private async enter(
    id: BatchId,
    { line, amountMinor, text, error: invalid }: LineRow,
    counts: Counts,
    chosen: Chosen,
    armed: ArmedFaults,
  ): Promise<Report | undefined> {
    if (invalid !== null || amountMinor === null) {
      counts.invalid++;
      return { type: 'error', line, code: 'REQUEST.INVALID', detail: invalid ?? 'it says no amount' };
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
      const { code, detail } = problemOf(error);
      counts.refused++;
      return { type: 'error', line, code, detail };
    }
  }
}

const said = (report: Report): string => `${JSON.stringify(report)}\n`;

/** No request that comes from outside has a colon in its id. */
const entryOf = ({ batch }: BatchId, line: number): string => `${batch}:${line}`;

const STOPPING = {
  code: 'DEPENDENCY.DOWN',
  detail: 'this replica stops: send the batch again, and the rest is entered',
};

const refusal = (code: string, detail: string): ProblemError => new ProblemError(problem(code, detail));

/** The body's chunks, hashed, as far as they keep within bytes and time. Who stops reading leaves the connection open. */
async function* bounded(body: Readable, hash: ReturnType<typeof createHash>): AsyncGenerator<Buffer> {
  let bytes = 0;
  const tooSlow = setTimeout(() => {
    body.destroy(new Error(`the batch was not there within ${LONGEST_UPLOAD_MS / 1000} s`));
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
