import type { Endpoint } from './document';
import { draw, type Drawing } from './draw';
import { exchange, type FuzzResponse } from './exchange';
import { codeOf, isRefusal, Judge, notAllowed } from './judge';
import { toCurl, type Addresses, type FuzzRequest, type Side } from './request';
import { changes, type State } from './state';
import { tidyingOf } from './tidy';

/** The lab under test: its addresses, and direct observation of its servers. */
export interface Subject {
  readonly addresses: Addresses;
  readonly endpoints: readonly Endpoint[];
  readonly internalApp: string;
  readonly look: () => Promise<State>;
  /** Balances that differ from the sum of their movements, in words. */
  readonly unbalanced: () => Promise<readonly string[]>;
  /** A text that changes when a process of the lab exits or starts; undefined when that is not observable. */
  readonly lives: () => Promise<string | undefined>;
}

export interface FuzzPlan {
  readonly seed: number;
  readonly requests: number;
  /** Sends only the request with this number. */
  readonly only?: number;
  readonly signal?: AbortSignal;
  readonly onRequest?: (done: number, findings: number) => void;
  /** Called immediately, so that an interrupted run has reported its findings. */
  readonly onFinding?: (finding: Finding) => void;
}

export interface Finding {
  /** Number of the request; `--only` repeats it. */
  readonly index: number;
  readonly endpoint: string;
  readonly side: Side;
  readonly what: string;
  readonly answer: string;
  readonly curl: string;
}

/** Number of responses by status, for each endpoint and side. */
export type Tally = ReadonlyMap<string, ReadonlyMap<number, number>>;

export interface FuzzRun {
  readonly seed: number;
  readonly requests: number;
  readonly tally: Tally;
  /** Number of problems by code. */
  readonly codes: ReadonlyMap<string, number>;
  readonly findings: readonly Finding[];
  /** Number of requests that the documents forbid and that were refused. */
  readonly forbidden: number;
  /** Number of refusals after which the compared state was unchanged. */
  readonly unchanged: number;
  readonly seconds: number;
}

/** Requests between two resets of the lab: keeps tables small, and removes abandoned locks. */
const RESET_INTERVAL = 50;

/** Sends requests one by one, and checks the response and the state of all servers after each one. */
export async function runFuzz(subject: Subject, plan: FuzzPlan): Promise<FuzzRun> {
  const begun = performance.now();
  const run = new Run(subject, plan);
  const indices = plan.only === undefined ? Array.from({ length: plan.requests }, (_, i) => i) : [plan.only];
  for (const index of indices) {
    if (plan.signal?.aborted === true) break;
    await run.one(index);
  }
  return { ...run.result(), seconds: (performance.now() - begun) / 1000 };
}

class Run {
  private readonly judge = new Judge();
  private readonly tally = new Map<string, Map<number, number>>();
  private readonly codes = new Map<string, number>();
  private readonly findings: Finding[] = [];
  private readonly drawing: Drawing;
  private state: State | undefined;
  private lives: string | undefined;
  private done = 0;
  private forbidden = 0;
  private unchanged = 0;

  constructor(
    private readonly subject: Subject,
    private readonly plan: FuzzPlan,
  ) {
    this.drawing = { ...subject, seed: plan.seed };
  }

  async one(index: number): Promise<void> {
    if (this.done % RESET_INTERVAL === 0) await this.resetLab();
    const request = draw(this.drawing, index);
    const before = this.state ?? (await this.subject.look());
    const answer = await this.send(request);
    this.count(request, answer);
    for (const what of this.judge.complaints(request, answer)) this.addFinding(request, answer, what);
    await this.compare(request, answer, before);
    this.done++;
    this.plan.onRequest?.(this.done, this.findings.length);
    const hasTimer = request.startsTimer && !isRefusal(answer);
    if (request.carriesFault || hasTimer) await this.resetLab();
  }

  result(): Omit<FuzzRun, 'seconds'> {
    const { tally, codes, findings, forbidden, unchanged, done } = this;
    return { seed: this.plan.seed, requests: done, tally, codes, findings, forbidden, unchanged };
  }

  private async send(request: FuzzRequest): Promise<FuzzResponse> {
    try {
      return await exchange(this.urlOf(request), request.bytes, { hangUp: request.endless });
    } catch (error) {
      const answer = { status: 0, headers: {}, body: (error as Error).message, tookMs: 0 };
      if (request.endless) this.addFinding(request, answer, answer.body);
      return answer;
    }
  }

  private async compare(request: FuzzRequest, answer: FuzzResponse, before: State): Promise<void> {
    const { subject } = this;
    const [after, lives] = [await subject.look(), await subject.lives()];
    this.state = after;
    if (lives !== this.lives) {
      this.addFinding(
        request,
        answer,
        `a process exited or was restarted: ${this.lives ?? ''} → ${lives ?? ''}`,
      );
      this.lives = lives;
    }
    const changed = changes(before, after);
    if (changed.length === 0) {
      if (isRefusal(answer)) this.unchanged++;
      return;
    }
    const wrong = isRefusal(answer) ? notAllowed(request, answer, changed) : [];
    if (wrong.length > 0) this.addFinding(request, answer, `refused, but it changed ${wrong.join(', ')}`);
    for (const what of await subject.unbalanced()) this.addFinding(request, answer, what);
  }

  private count(request: FuzzRequest, { status, body }: FuzzResponse): void {
    const row = `${request.endpoint} @${request.side}`;
    const statuses = this.tally.get(row) ?? new Map<number, number>();
    this.tally.set(row, statuses.set(status, (statuses.get(status) ?? 0) + 1));
    if (request.forbidden && status >= 400) this.forbidden++;
    const code = status >= 400 ? codeOf(body) : undefined;
    if (code !== undefined) this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
  }

  private addFinding(request: FuzzRequest, { status, body }: FuzzResponse, what: string): void {
    const { index, endpoint, side } = request;
    const curl = toCurl(request, this.urlOf(request));
    const response = `${status} ${body}`.trim().slice(0, 1000);
    const finding = { index, endpoint, side, what, answer: response, curl };
    this.findings.push(finding);
    this.plan.onFinding?.(finding);
  }

  /** Resets everything through the lab's own endpoints. */
  private async resetLab(): Promise<void> {
    const { subject } = this;
    const { lab } = subject.addresses;
    if (lab !== undefined)
      for (const bytes of tidyingOf(subject.endpoints, lab)) await this.sendReset(lab, bytes);
    this.state = await subject.look();
    this.lives = await subject.lives();
  }

  private async sendReset(url: string, bytes: Buffer): Promise<void> {
    const { status, body } = await exchange(url, bytes);
    if (status !== 200) throw new Error(`a reset request of the lab failed with ${status}: ${body}`);
  }

  private urlOf({ side }: FuzzRequest): string {
    return this.subject.addresses[side] ?? '';
  }
}
