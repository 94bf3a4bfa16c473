import type { Endpoint } from './document';
import { draw, type Drawing } from './draw';
import { exchange, type FuzzResponse } from './exchange';
import { codeOf, isRefusal, Judge, notAllowed } from './judge';
import { toCurl, type Addresses, type FuzzRequest, type Side } from './request';
import { changes, type State } from './state';
import { tidyingOf } from './tidy';

/** A lab under fuzz: where it is, and what can be seen of it past its apps. */
export interface Subject {
  readonly addresses: Addresses;
  readonly endpoints: readonly Endpoint[];
  readonly internalApp: string;
  readonly look: () => Promise<State>;
  /** Balances that are not what their movements say, in words. */
  readonly unbalanced: () => Promise<readonly string[]>;
  /** Changes when a process of the lab was lost or started; undefined where that cannot be seen. */
  readonly lives: () => Promise<string | undefined>;
}

export interface FuzzPlan {
  readonly seed: number;
  readonly requests: number;
  /** Sends only this one. */
  readonly only?: number;
  readonly signal?: AbortSignal;
  readonly onRequest?: (done: number, findings: number) => void;
  /** At once: a run that is broken off has told what it found. */
  readonly onFinding?: (finding: Finding) => void;
}

export interface Finding {
  /** The request's number: `--only` repeats it. */
  readonly index: number;
  readonly endpoint: string;
  readonly side: Side;
  readonly what: string;
  readonly answer: string;
  readonly curl: string;
}

/** How often each status came, by endpoint and side. */
export type Tally = ReadonlyMap<string, ReadonlyMap<number, number>>;

export interface FuzzRun {
  readonly seed: number;
  readonly requests: number;
  readonly tally: Tally;
  /** How often each code came. */
  readonly codes: ReadonlyMap<string, number>;
  readonly findings: readonly Finding[];
  /** Requests that the documents forbid, and that were refused. */
  readonly forbidden: number;
  /** Refusals after which everything was compared and found unchanged. */
  readonly unchanged: number;
  readonly seconds: number;
}

/** After so many requests everything is set anew: tables stay small, and no lock is left behind for long. */
const SEASON = 50;

/** Sends requests one by one; after each one the answer and the state of everything are looked at. */
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
    if (this.done % SEASON === 0) await this.tidy();
    const request = draw(this.drawing, index);
    const before = this.state ?? (await this.subject.look());
    const answer = await this.send(request);
    this.count(request, answer);
    for (const what of this.judge.complaints(request, answer)) this.find(request, answer, what);
    await this.compare(request, answer, before);
    this.done++;
    this.plan.onRequest?.(this.done, this.findings.length);
    const goesOn = request.startsTimer && !isRefusal(answer);
    if (request.carriesFault || goesOn) await this.tidy();
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
      if (request.endless) this.find(request, answer, answer.body);
      return answer;
    }
  }

  private async compare(request: FuzzRequest, answer: FuzzResponse, before: State): Promise<void> {
    const { subject } = this;
    const [after, lives] = [await subject.look(), await subject.lives()];
    this.state = after;
    if (lives !== this.lives) {
      this.find(request, answer, `a process was lost: ${this.lives ?? ''} → ${lives ?? ''}`);
      this.lives = lives;
    }
    const changed = changes(before, after);
    if (changed.length === 0) {
      if (isRefusal(answer)) this.unchanged++;
      return;
    }
    const wrong = isRefusal(answer) ? notAllowed(request, answer, changed) : [];
    if (wrong.length > 0) this.find(request, answer, `refused, and yet changed: ${wrong.join(', ')}`);
    for (const what of await subject.unbalanced()) this.find(request, answer, what);
  }

  private count(request: FuzzRequest, { status, body }: FuzzResponse): void {
    const row = `${request.endpoint} @${request.side}`;
    const statuses = this.tally.get(row) ?? new Map<number, number>();
    this.tally.set(row, statuses.set(status, (statuses.get(status) ?? 0) + 1));
    if (request.forbidden && status >= 400) this.forbidden++;
    const code = status >= 400 ? codeOf(body) : undefined;
    if (code !== undefined) this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
  }

  private find(request: FuzzRequest, { status, body }: FuzzResponse, what: string): void {
    const { index, endpoint, side } = request;
    const curl = toCurl(request, this.urlOf(request));
    const said = `${status} ${body}`.trim().slice(0, 1000);
    const finding = { index, endpoint, side, what, answer: said, curl };
    this.findings.push(finding);
    this.plan.onFinding?.(finding);
  }

  /** Sets everything anew, by the lab's own endpoints. */
  private async tidy(): Promise<void> {
    const { subject } = this;
    const { lab } = subject.addresses;
    if (lab !== undefined)
      for (const bytes of tidyingOf(subject.endpoints, lab)) await this.reset(lab, bytes);
    this.state = await subject.look();
    this.lives = await subject.lives();
  }

  private async reset(url: string, bytes: Buffer): Promise<void> {
    const { status, body } = await exchange(url, bytes);
    if (status !== 200) throw new Error(`a reset of the lab answers ${status}: ${body}`);
  }

  private urlOf({ side }: FuzzRequest): string {
    return this.subject.addresses[side] ?? '';
  }
}
