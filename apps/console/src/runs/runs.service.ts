import { problem, ProblemError } from '#lab/http';
import { componentsOf, findStrategy } from '#lab/strategy';
import { listRuns, readReport, readRun, removeOldRuns, writeRunFolder } from '#load-tests/results';
import { balancesOf, hostOf, runLoad, whyUnfired, type LoadPlan } from '#load-tests/run';
import { findScenario } from '#load-tests/scenarios';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { basename } from 'node:path';
import type { Member } from '../classroom';
import { Jobs, type JobContext, type QueuedJob } from '../jobs';
import { Lab } from '../lab';
import { planOf } from './run-plan';
import { planView, verdictView, type RunVerdict } from './run-view';
import { RunWatch } from './run-watch';
import type { PastRun, RunBody, RunEvent, RunView } from './schemas';

/** A run of this console. */
interface Run {
  readonly job: QueuedJob<RunEvent>;
  readonly title: string;
  readonly plan: LoadPlan;
  readonly by: Member;
  watch?: RunWatch;
  result?: { readonly verdict: RunVerdict; readonly folder: string };
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
  ) {}

  /** Queues a run. Throws `UnknownStrategy`, `FaultSyntaxError`, `FaultCannotFire`, `ComponentMissing` or a problem. */
  start(wanted: RunBody, by: Member): Promise<RunView> {
    return this.queue(planOf(wanted), wanted.strategy, by);
  }

  /** Queues a scenario. Throws `UnknownScenario`, `ComponentMissing` or a problem. */
  startPreset(preset: string, by: Member): Promise<RunView> {
    const { name, plan } = findScenario(preset);
    return this.queue(plan, name, by);
  }

  list(): { current: RunView[]; past: PastRun[] } {
    const current = [...this.runs.values()].reverse().map((run) => view(run, run.watch?.taken.slice(-1)));
    const past = listRuns(MAX_PAST).map((folder) => this.past.get(folder) ?? pastView(folder));
    // a folder without a verdict may still be written
    this.past = new Map(past.flatMap((run) => (run.verdict === undefined ? [] : [[run.folder, run]])));
    return { current, past };
  }

  find(id: string): RunView {
    return view(this.jobs.in(this.runs, id));
  }

  cancel(id: string, member: Member): RunView {
    const run = this.jobs.in(this.runs, id);
    if (!member.isTeacher && member.id !== run.by.id)
      throw new ProblemError(
        problem('ACCESS.TEACHER_ONLY', `only ${run.by.name} and the teacher can cancel this run`),
      );
    run.job.cancel();
    return view(run);
  }

  events(id: string): QueuedJob<RunEvent>['events'] {
    return this.jobs.in(this.runs, id).job.events;
  }

  /** The report of a run of this console. */
  report(id: string): string {
    const { result } = this.jobs.in(this.runs, id);
    if (result !== undefined) return this.pastReport(result.folder);
    throw new ProblemError(problem('REQUEST.NOT_FOUND', `the run ${id} has no report: it has not ended`));
  }

  pastReport(folder: string): string {
    const report = readReport(folder);
    if (report !== undefined) return report;
    throw new ProblemError(
      problem('REQUEST.NOT_FOUND', `there is no report in runs/${folder}: old runs are removed`),
    );
  }

  beforeApplicationShutdown(): void {
    setTimeout(() => {
      this.leaving.abort();
    }, GRACE_MS).unref();
  }

  private async queue(wanted: LoadPlan, title: string, by: Member): Promise<RunView> {
    const plan = by.isTeacher ? wanted : onOwnProduct(wanted, by);
    if (!by.isTeacher && (plan.fault !== undefined || plan.down !== undefined))
      throw new ProblemError(
        problem('ACCESS.TEACHER_ONLY', 'a fault hits the replicas of everybody: ask the teacher to run it'),
      );
    await this.lab.assertHas(componentsOf([findStrategy(plan.strategy)]));
    const job = this.jobs.add<RunEvent>('run', (context) => this.run(run, context));
    const run: Run = { job, title, plan, by };
    this.runs.set(job.id, run);
    this.jobs.forget(this.runs);
    return view(run);
  }

  private async run(run: Run, { signal, emit, progress }: JobContext<RunEvent>): Promise<void> {
    const { plan, title } = run;
    const lab = await this.lab.open();
    const target = hostOf(plan) === 'account' ? lab.target.accounts : lab.target;
    const watch = new RunWatch(
      target,
      balancesOf(plan),
      (sample) => {
        emit({ sample });
      },
      (text, done) => {
        progress({ text, done, of: plan.requests + (plan.fault?.on.kind === 'first' ? 1 : 0) });
      },
    );
    run.watch = watch;
    try {
      const made = await Promise.race([
        runLoad(lab.target, lab.control, plan, watch.observer(signal)),
        aborted(this.leaving.signal),
      ]);
      await watch.end({ last: true });
      removeOldRuns();
      const folder = basename(writeRunFolder(made, title));
      const unfired = whyUnfired(made);
      const verdict = verdictView(made.verdict, unfired === undefined ? [] : [unfired]);
      run.result = { verdict, folder };
      emit(run.result);
    } finally {
      await watch.end({ last: false });
      await lab.stop();
    }
  }
}

/** Rejects when the signal is aborted. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });

/** A student's run sells a product of its own, so that its rows are not those of the next run. */
const onOwnProduct = (plan: LoadPlan, { id }: Member): LoadPlan =>
  plan.carts === undefined && plan.amountMinor === undefined
    ? { ...plan, balance: `${plan.balance}-${id}` }
    : plan;

const view = ({ job, title, plan, watch, result }: Run, samples = watch?.taken): RunView => ({
  job: job.view(),
  title,
  plan: planView(plan),
  samples: samples ?? [],
  ...result,
});

function pastView(folder: string): PastRun {
  const { verdict, ...run } = readRun(folder);
  return { ...run, ...(verdict !== undefined && { verdict: verdictView(verdict) }) };
}
