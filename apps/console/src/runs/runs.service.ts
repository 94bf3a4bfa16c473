import type { Language } from '#lab/verdict';
import { problem, ProblemError } from '#lab/http';
import { componentsOf } from '#lab/strategy';
import { LIVE_STYLE } from '#load-tests/report';
import { listRuns, readReport, readRun } from '#load-tests/results';
import { strategiesOf, type LoadPlan } from '#load-tests/run';
import { findScenario } from '#load-tests/scenarios';
import { Injectable, type BeforeApplicationShutdown, type MessageEvent } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { assertMayCancel, teacherOnly, type Member } from '../classroom';
import { ConsoleOptions } from '../console-options';
import { Jobs, type JobContext, type QueuedJob } from '../jobs';
import { Lab } from '../lab';
import { isForTeacher, planOf } from './run-plan';
import type { RunResult } from './run-messages';
import { planView, verdictView } from './run-view';
import { addSample, type Sample } from './run-watch';
import type { LanesView, PastRun, RunBody, RunEvent, RunView } from './schemas';
import { startRun } from './start-run';

/** A run of this console. */
interface Run {
  readonly job: QueuedJob<RunEvent>;
  readonly title: string;
  readonly plan: LoadPlan;
  readonly by: Member;
  /** When it was queued, ISO 8601. */
  readonly at: string;
  readonly language: Language;
  readonly samples: Sample[];
  result?: RunResult;
  /** The lanes so far; absent when the run has ended: the report has all of them. */
  lanes?: string;
}

/** Folders that are listed. */
const MAX_PAST = 100;

/** When the console stops, a run may use this time to leave the lab ready for another one. Milliseconds. */
const GRACE_MS = 2000;

/** Load runs on the lab, one at a time. */
@Injectable()
export class RunsService implements BeforeApplicationShutdown {
  private readonly runs = new Map<string, Run>();
  /** Folders are written once: what was read of them stays. */
  private past = new Map<string, PastRun>();
  private readonly leaving = new AbortController();

  constructor(
    private readonly jobs: Jobs,
    private readonly lab: Lab,
    private readonly options: ConsoleOptions,
  ) {}

  /** Queues a run. Throws `UnknownStrategy`, `FaultSyntaxError`, `FaultCannotFire`, `ComponentMissing` or a problem. */
  start(wanted: RunBody, by: Member, language: Language): Promise<RunView> {
    return this.queue(planOf(wanted), wanted.strategy, by, language);
  }

  /** Queues a scenario. Throws `UnknownScenario`, `ComponentMissing` or a problem. */
  startPreset(preset: string, by: Member, language: Language): Promise<RunView> {
    const { name, plan } = findScenario(preset);
    return this.queue(plan, name, by, language);
  }

  list(): { current: RunView[]; past: PastRun[] } {
    const current = [...this.runs.values()].reverse().map((run) => view(run, run.samples.slice(-1)));
    const past = listRuns(MAX_PAST).map((folder) => this.past.get(folder) ?? pastView(folder));
    // a verdict that cannot be read may still be written
    this.past = new Map(past.flatMap((run) => (run.verdict === undefined ? [] : [[run.folder, run]])));
    return { current, past };
  }

  find(id: string): RunView {
    return view(this.jobs.in(this.runs, id));
  }

  cancel(id: string, member: Member): RunView {
    const run = this.jobs.in(this.runs, id);
    assertMayCancel(member, run.by);
    this.jobs.cancel(run.job, member);
    return view(run);
  }

  events(id: string, member: Member, lastId: number): Observable<MessageEvent> {
    return this.jobs.eventsFor(this.jobs.in(this.runs, id).job, member, lastId);
  }

  /** Absent before the load, and after it: then the report has all lanes. */
  lanes(id: string): LanesView {
    const { lanes } = this.jobs.in(this.runs, id);
    return { style: LIVE_STYLE, ...(lanes !== undefined && { lanes }) };
  }

  /** The report of a run of this console. */
  report(id: string, language: Language): string {
    const { result } = this.jobs.in(this.runs, id);
    if (result !== undefined) return this.pastReport(result.folder, language);
    throw new ProblemError(problem('REQUEST.NOT_FOUND', `the run ${id} has no report: it has not ended`));
  }

  pastReport(folder: string, language: Language): string {
    const report = readReport(folder, language);
    if (report !== undefined) return linkedHere(report);
    throw new ProblemError(
      problem('REQUEST.NOT_FOUND', `there is no report in runs/${folder}: old runs are removed`),
    );
  }

  beforeApplicationShutdown(): void {
    setTimeout(() => {
      this.leaving.abort();
    }, GRACE_MS).unref();
  }

  private async queue(wanted: LoadPlan, title: string, by: Member, language: Language): Promise<RunView> {
    const plan = by.isTeacher ? wanted : onOwnProduct(wanted, by);
    if (!by.isTeacher && isForTeacher(plan))
      throw teacherOnly('fault', 'a fault hits the replicas that all share: ask the teacher to run it');
    await this.lab.assertHas(componentsOf(strategiesOf(plan)));
    const job = this.jobs.add<RunEvent>({ kind: 'run', title, by }, (context) => this.run(run, context));
    const run: Run = { job, title, plan, by, at: new Date().toISOString(), language, samples: [] };
    this.runs.set(job.id, run);
    this.jobs.forget(this.runs);
    return view(run);
  }

  private async run(run: Run, { signal, emit, progress }: JobContext<RunEvent>): Promise<void> {
    const { plan, title, language, samples } = run;
    const { labFolder } = this.options;
    run.result = await startRun(
      { labFolder, plan, title, language },
      {
        signal,
        kill: this.leaving.signal,
        onMessage: (message) => {
          if ('sample' in message) {
            addSample(samples, message.sample);
            emit(message);
          } else if ('progress' in message) progress(message.progress);
          else if ('lanes' in message) run.lanes = message.lanes;
        },
      },
    );
    delete run.lanes; // the report has all of them
    emit(run.result);
  }
}

/** The report with a link to the address, instead of the file, of the other language. */
const linkedHere = (report: string): string =>
  report.replace(/href="report(?:\.(\w+))?\.html"/, (_, language = 'en') => `href="?lang=${language}"`);

/** A student's run sells a product of its own, so that its rows are not those of the next run. */
const onOwnProduct = (plan: LoadPlan, { id }: Member): LoadPlan =>
  plan.carts === undefined && plan.amountMinor === undefined
    ? { ...plan, balance: `${plan.balance}-${id}` }
    : plan;

const view = ({ job, title, plan, by, at, samples: all, result }: Run, samples = all): RunView => ({
  job: job.view(),
  title,
  by: by.name,
  at,
  plan: planView(plan),
  samples,
  ...result,
});

function pastView(folder: string): PastRun {
  const { verdict, ...run } = readRun(folder);
  return { ...run, ...(verdict !== undefined && { verdict: verdictView(verdict) }) };
}
