import type { Language } from '#lab/verdict';
import { renderLiveLanes } from '#load-tests/report';
import type { LoadObserver, Target } from '#load-tests/run';
import type { BalanceTotals } from '#lab/balance';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import type { sample } from './schemas';

export type Sample = z.infer<typeof sample>;

const EVERY_MS = 100;
/** The history of a run is read again and again for its lanes: more requests would slow the run down. */
const MAX_REQUESTS_WITH_LANES = 1000;
const LANES_EVERY_MS = 700;
/** A paused replica answers after its pause: its sample is given up, others still arrive. */
const ANSWER_MS = 1000;
/** Reads under way at once; each uses a connection that the run needs, too. */
const MAX_READS = 3;
/** With these, every second sample is dropped, and the next ones are taken half as often. */
const MAX_SAMPLES = 1000;

/** Adds a sample to those of a run. True: their number was halved. */
export function addSample(samples: Sample[], taken: Sample): boolean {
  samples.push(taken);
  if (samples.length < MAX_SAMPLES) return false;
  samples.splice(0, samples.length, ...samples.filter((_, i) => i % 2 === 0));
  return true;
}

/** Observes a run: counts its answers, and reads its balances again and again while it lasts. */
export class RunWatch {
  private readonly samples: Sample[] = [];
  private readonly answers: Record<string, number> = {};
  private readonly replicas: Record<string, number> = {};
  private sent = 0;
  private answered = 0;
  private text = '';
  private begun = 0;
  private everyMs = EVERY_MS;
  private timer: NodeJS.Timeout | undefined;
  private reads = 0;
  private newest = 0;

  /** `onSample`: a sample was taken; `onProgress`: called at the same rate, also when no sample could be taken. */
  constructor(
    private readonly target: Pick<Target, 'totals' | 'history'>,
    private readonly balances: readonly string[],
    private readonly onSample: (taken: Sample) => void,
    private readonly onProgress: (text: string, answered: number) => void,
    private readonly onLanes: (lanes: string) => void,
    private readonly language: Language,
  ) {}

  observer(signal: AbortSignal): LoadObserver {
    return {
      signal,
      begun: () => {
        this.begun = performance.now();
        this.start();
        void this.draw();
      },
      sent: () => {
        this.sent++;
      },
      answer: ({ code, replica }) => {
        this.answered++;
        this.answers[code] = (this.answers[code] ?? 0) + 1;
        if (replica !== null) this.replicas[replica] = (this.replicas[replica] ?? 0) + 1;
      },
      progress: (text) => {
        this.text = text;
        if (this.timer === undefined) this.onProgress(text, this.answered);
      },
    };
  }

  /** Ends the samples; with `last`, takes a final one. */
  async end({ last }: { readonly last: boolean }): Promise<void> {
    clearInterval(this.timer);
    this.timer = undefined;
    if (last) await this.take();
    this.newest = Infinity; // reads that are under way come too late
  }

  private start(): void {
    clearInterval(this.timer);
    this.timer = setInterval(() => {
      this.onProgress(this.text, this.answered);
      if (this.reads < MAX_READS) void this.take();
    }, this.everyMs);
    void this.take();
  }

  /** Draws the lanes until the samples end. */
  private async draw(): Promise<void> {
    const [balance = ''] = this.balances;
    while (this.timer !== undefined && this.sent <= MAX_REQUESTS_WITH_LANES) {
      try {
        const lanes = renderLiveLanes(await this.target.history(balance), this.language);
        if (lanes !== undefined) this.onLanes(lanes);
      } catch {
        // a replica is restarting: the next one answers
      }
      await delay(LANES_EVERY_MS, undefined, { ref: false });
    }
  }

  /** Reads of one balance are consistent in themselves; those of several balances are added. */
  private async take(): Promise<void> {
    const asked = performance.now();
    this.reads++;
    try {
      const totals = await Promise.all(
        this.balances.map((balance) => this.target.totals(balance, ANSWER_MS)),
      );
      if (asked < this.newest) return; // another replica has answered a later read before
      this.newest = asked;
      this.add(sum(totals));
    } catch {
      // a replica is paused or restarting: the next sample is asked of another one
    } finally {
      this.reads--;
    }
  }

  private add({ amount, sold }: Pick<BalanceTotals, 'amount' | 'sold'>): void {
    const taken: Sample = {
      atMs: Math.round(performance.now() - this.begun),
      stock: amount,
      sold,
      answers: { ...this.answers },
      replicas: { ...this.replicas },
      inFlight: this.sent - this.answered,
    };
    this.onSample(taken);
    if (!addSample(this.samples, taken) || this.timer === undefined) return;
    this.everyMs *= 2;
    this.start();
  }
}

const sum = (totals: readonly BalanceTotals[]): Pick<BalanceTotals, 'amount' | 'sold'> => ({
  amount: totals.reduce((all, { amount }) => all + amount, 0),
  sold: totals.reduce((all, { sold }) => all + sold, 0),
});
