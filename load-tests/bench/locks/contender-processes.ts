import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Report, BenchTask } from './worker';

/** The worker processes of the bench. Each opens every contender once and keeps its connections. */
export class ContenderProcesses {
  private constructor(private readonly workers: ChildProcess[]) {}

  static start(count: number): ContenderProcesses {
    return new ContenderProcesses(Array.from({ length: count }, startWorker));
  }

  /** Runs the tasks concurrently, one per process. Rejects when a process reports an error. */
  run(tasks: readonly BenchTask[]): Promise<Report[]> {
    return Promise.all(
      tasks.map(
        (task, i) =>
          new Promise<Report>((resolve, reject) => {
            const worker = this.workers[i];
            if (worker === undefined)
              throw new RangeError(
                `${tasks.length} tasks need as many processes; there are ${this.workers.length}`,
              );
            worker.once('message', ({ report, error }: { report?: Report; error?: string }) => {
              if (report === undefined) reject(new Error(`${task.contender}: ${error ?? 'no report'}`));
              else {
                if (!report.isHome) this.replace(i);
                resolve(report);
              }
            });
            worker.send(task);
          }),
      ),
    );
  }

  private replace(i: number): void {
    this.workers[i]?.kill('SIGKILL');
    this.workers[i] = startWorker();
  }

  stop(): void {
    for (const worker of this.workers) worker.kill('SIGKILL');
  }
}

const startWorker = (): ChildProcess =>
  fork(join(__dirname, 'worker.js'), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: ['--no-warnings'],
  });
