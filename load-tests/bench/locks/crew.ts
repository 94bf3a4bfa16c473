import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Report, Task } from './worker';

/** The processes of the bench. Each opens every contender once, and keeps it. */
export class Crew {
  private constructor(private readonly workers: readonly ChildProcess[]) {}

  static start(count: number): Crew {
    const file = join(__dirname, 'worker.js');
    return new Crew(
      Array.from({ length: count }, () =>
        fork(file, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: ['--no-warnings'] }),
      ),
    );
  }

  /** One task for each of the first processes, at the same time. */
  run(tasks: readonly Task[]): Promise<Report[]> {
    return Promise.all(
      tasks.map(
        (task, i) =>
          new Promise<Report>((resolve, reject) => {
            const worker = this.workers[i];
            if (worker === undefined) throw new RangeError(`there are only ${this.workers.length} processes`);
            worker.once('message', ({ report, error }: { report?: Report; error?: string }) => {
              if (report === undefined) reject(new Error(`${task.contender}: ${error ?? 'no report'}`));
              else resolve(report);
            });
            worker.send(task);
          }),
      ),
    );
  }

  stop(): void {
    for (const worker of this.workers) worker.kill('SIGKILL');
  }
}
