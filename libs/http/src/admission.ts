import { Inject, Injectable } from '@nestjs/common';
import { ConditionLog, markLogged } from './log';
import { problem, ProblemError } from './problem';

/** The bounds of one replica. */
export interface AdmissionBounds {
  /** Requests that are admitted at the same time: those at work and those in the queue. */
  readonly admitted: number;
  /** Requests that are at work at the same time; the other admitted ones are in the queue. */
  readonly atWork: number;
  /** Maximum time in the queue, milliseconds. */
  readonly queueMs: number;
}

export const ADMISSION_BOUNDS = Symbol('bounds of the admission');

/**
 * Bounds the requests to an endpoint that are at work at the same time: more of them would wait for the same connections and
 * rows, and make each other slower. Further ones wait in a queue, in the order of their arrival. A request that finds the queue
 * full, or waits in it for too long, is refused with `OVERLOADED` before anything is done for it. nginx admits as many for each
 * replica and refuses sooner. This bound holds where nginx counts less than the replica has: a client that closes its connection
 * leaves its request at work.
 */
@Injectable()
export class Admission {
  private admitted = 0;
  private atWork = 0;
  /** Each entry begins the work of one request. A set has the order of its insertions. */
  private readonly queue = new Set<() => void>();
  private readonly condition = new ConditionLog('the admission of orders');

  constructor(@Inject(ADMISSION_BOUNDS) private readonly bounds: AdmissionBounds) {}

  /** Runs `work` when it is its turn. Throws `OVERLOADED`, and does not run it, when the replica has too much to do. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const { admitted, atWork } = this.bounds;
    if (this.admitted >= admitted) throw this.refusal(`has ${admitted} orders, its maximum`);
    this.admitted++;
    try {
      if (this.atWork < atWork) this.atWork++;
      else await this.turn();
      try {
        return await work();
      } finally {
        this.endWork();
      }
    } finally {
      this.admitted--;
    }
  }

  /** Resolves when a request has ended and this one has received its place. */
  private turn(): Promise<void> {
    const { queueMs } = this.bounds;
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        this.queue.delete(begin);
        resolve();
      };
      const timer = setTimeout(() => {
        this.queue.delete(begin);
        reject(this.refusal(`could not begin the order within ${queueMs} ms`));
      }, queueMs).unref();
      this.queue.add(begin);
    });
  }

  private endWork(): void {
    this.condition.succeeded();
    const [next] = this.queue;
    if (next === undefined) this.atWork--;
    else next();
  }

  /** An overloaded replica refuses thousands of requests: only the first refusal has a line in the log. */
  private refusal(why: string): ProblemError {
    const error = new ProblemError(
      problem('OVERLOADED', `this replica ${why}: nothing was done. Try again later`),
    );
    this.condition.failed(error, 'OVERLOADED');
    return markLogged(error);
  }
}
