import type { Command, Redis } from 'ioredis';
import { currentScope, step, type Step, type StepInfo } from '../seam';
import { describe, nameOf } from './redis-command';

/** The parts of an ioredis pipeline that are used here. */
interface Pipeline {
  readonly _queue: readonly Command[];
  /** Number of MULTI commands in its queue without their EXEC. */
  readonly _transactions: number;
  exec(...args: [callback?: Callback]): Promise<unknown>;
}

type Callback = (error: Error | null, result?: unknown) => void;

/** The client of a pipeline. */
interface PipelineClient extends Pick<StepInfo, 'server'> {
  readonly redis: Redis;
  readonly transaction: OpenTransaction;
  /** Why a command of a MULTI must not be sent. */
  refusalOf?(command: Command): Error | undefined;
  /** Sends a MULTI with its commands and EXEC, as the step `current`. */
  issue(exec: () => Promise<unknown>, current: Step | undefined): Promise<unknown>;
}

/** Whether a connection has an open WATCH or MULTI. */
export class OpenTransaction {
  isWatching = false;
  isInMulti = false;

  /** Notes a command that is sent. */
  note(command: Pick<Command, 'name'>): void {
    const name = nameOf(command);
    if (name === 'watch') this.isWatching = true;
    if (name === 'multi') this.isInMulti = true;
    if (/^(exec|discard|unwatch)$/.test(name)) this.isWatching = false;
    if (/^(exec|discard)$/.test(name)) this.isInMulti = false;
  }

  /** Ends what a schedule has left open. */
  async end(redis: Redis): Promise<void> {
    if (this.isInMulti) await redis.call('DISCARD').catch(() => undefined);
    if (this.isWatching) await redis.unwatch();
    this.isInMulti = this.isWatching = false;
  }
}

/**
 * Makes the pipelines of a client pass the seam. A pipeline is not atomic, so each of its commands is a step; a `multi()` with its
 * EXEC is one.
 */
export function instrumentPipelines(client: PipelineClient): void {
  const { redis, transaction, server } = client;
  const pipeline = redis.pipeline.bind(redis);
  const multi = redis.multi.bind(redis) as (...args: unknown[]) => unknown;
  redis.pipeline = (commands) => {
    const begun = pipeline(commands);
    return execBy(begun, ({ _queue }) => execOneByOne(redis, _queue));
  };
  redis.multi = ((...args: unknown[]) => {
    const begun = multi(...args);
    if (!isPipeline(begun)) return begun;
    return execBy(begun, ({ _queue }, exec) => {
      const refusal = _queue.map((command) => client.refusalOf?.(command)).find(Boolean);
      if (refusal !== undefined) return Promise.reject(refusal);
      return step(
        () => ({ ...describeMulti(_queue), ...(server !== undefined && { server }) }),
        (current) => {
          transaction.note({ name: 'exec' });
          return client.issue(exec, current);
        },
      );
    });
  }) as Redis['multi'];
}

const isPipeline = (value: unknown): value is Pipeline =>
  typeof value === 'object' && value !== null && 'isPipeline' in value;

/** Executes the pipeline by `run` where its commands have to be steps. */
function execBy<T>(
  pipeline: T,
  run: (pipeline: Pipeline, exec: () => Promise<unknown>) => Promise<unknown>,
): T {
  const own = pipeline as Pipeline;
  const exec = own.exec.bind(own);
  const isMulti = own._transactions > 0;
  own.exec = (...args) => {
    const [callback] = args;
    const endsInnerMulti = !isMulti && own._transactions > 0; // it only adds EXEC to the queue
    if (currentScope() === undefined || endsInnerMulti) return exec(...args); // undefined would be an argument of EXEC
    const executed = run(own, exec);
    if (callback !== undefined)
      void executed.then(
        (result) => {
          callback(null, result);
        },
        (error: unknown) => {
          callback(error as Error);
        },
      );
    return executed;
  };
  return pipeline;
}

async function execOneByOne(redis: Redis, queue: readonly Command[]): Promise<unknown> {
  const results: [Error | null, unknown?][] = [];
  for (const command of queue)
    try {
      results.push([null, await redis.sendCommand(command)]);
    } catch (error) {
      results.push([error as Error]);
    }
  return results;
}

function describeMulti(queue: readonly Command[]): StepInfo {
  const inside = queue.filter(({ name }) => name !== 'multi' && name !== 'exec').map(describe);
  const [first] = inside;
  const refused = inside.map((info) => info.refused).find(Boolean);
  return {
    kind: 'redis',
    verb: 'MULTI',
    text: `MULTI; ${inside.map(({ text }) => text).join('; ')}; EXEC`,
    keys: inside.flatMap(({ keys = [] }) => keys),
    commands: inside,
    ...(first?.key !== undefined && { key: first.key }),
    ...(refused !== undefined && { refused }),
  };
}
