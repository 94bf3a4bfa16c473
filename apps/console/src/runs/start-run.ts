import { fork } from 'node:child_process';
import { join } from 'node:path';
import { CANCEL, type RunMessage, type RunOrder, type RunResult } from './run-messages';

/** A run that ended without a verdict. `code`: that of the error in its process. */
class RunFailed extends Error {
  override readonly name = 'RunFailed';

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

interface RunListener {
  /** Cancels the run; it ends when the lab is ready for the next one. */
  readonly signal: AbortSignal;
  /** Kills the process of the run. */
  readonly kill: AbortSignal;
  readonly onMessage: (message: RunMessage) => void;
}

/** Makes a run in a process of its own. Rejects with what went wrong, also when the process ends. */
export function startRun(order: RunOrder, { signal, kill, onMessage }: RunListener): Promise<RunResult> {
  const child = fork(join(__dirname, 'run-process.js'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const cancel = (): void => {
    if (child.connected) child.send(CANCEL);
  };
  const end = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', cancel);
  kill.addEventListener('abort', end);
  return new Promise<RunResult>((resolve, reject) => {
    child.on('message', (message: RunMessage) => {
      if ('result' in message) resolve(message.result);
      else if ('failed' in message) reject(new RunFailed(message.code, message.failed));
      else onMessage(message);
    });
    child.once('error', reject).once('exit', (code, killedBy) => {
      const how = `${killedBy ?? code ?? '?'}`;
      reject(new RunFailed('RUN.ENDED', `the process of this run ended (${how}): start the run again`));
    });
    child.send(order);
    if (signal.aborted) cancel();
  }).finally(() => {
    signal.removeEventListener('abort', cancel);
    kill.removeEventListener('abort', end);
  });
}
