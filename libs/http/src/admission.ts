import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { ConditionLog, markLogged } from './log';
import { problem, ProblemError } from './problem';

/** The bounds of one replica. Two replicas of the order app admit twice as much. */
const ADMISSION = { atWork: 256, waiting: 256, longestWaitMs: 10_000 } as const;

interface AdmissionBounds {
  /** Requests at work at the same time. */
  readonly atWork: number;
  /** Further requests, which wait in the order of their arrival. */
  readonly waiting: number;
  /** Maximum time in the waiting line, milliseconds. */
  readonly longestWaitMs: number;
}

interface Waiter {
  readonly admit: () => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Admits a bounded number of requests. A request beyond the bounds is refused at once with `OVERLOADED`, before anything is
 * done for it: accepted requests finish as fast as before, and no request times out after it has taken stock.
 */
class Admission {
  private atWork = 0;
  private readonly line = new Set<Waiter>();
  private readonly condition = new ConditionLog('the admission of orders');

  constructor(private readonly bounds: AdmissionBounds = ADMISSION) {}

  /** Runs `work` when it is its turn. Throws `OVERLOADED` when the line is full or the wait is too long. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.atWork < this.bounds.atWork) this.atWork++;
    else await this.turn();
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  /** Resolves with the place of a request that has finished. */
  private turn(): Promise<void> {
    const { atWork, waiting, longestWaitMs } = this.bounds;
    if (this.line.size >= waiting)
      return Promise.reject(
        this.refusal(`this replica has ${atWork} orders at work and ${waiting} waiting, its maximum`),
      );
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        admit: resolve,
        timer: setTimeout(() => {
          this.line.delete(waiter);
          reject(this.refusal(`the order waited ${longestWaitMs / 1000} s for its turn`));
        }, longestWaitMs).unref(),
      };
      this.line.add(waiter);
    });
  }

  /** Gives the place to the first waiter. */
  private leave(): void {
    const [next] = this.line;
    if (next === undefined) {
      this.atWork--;
      this.condition.succeeded();
      return;
    }
    this.line.delete(next);
    clearTimeout(next.timer);
    next.admit();
  }

  /** An overloaded replica refuses thousands of requests: only the first refusal has a line in the log. */
  private refusal(why: string): ProblemError {
    const error = new ProblemError(problem('OVERLOADED', `${why}: nothing was done. Try again later`));
    this.condition.failed(error, 'OVERLOADED');
    return markLogged(error);
  }
}

/** Bounds the requests to an endpoint, before their parameters are read. */
@Injectable()
export class AdmissionInterceptor implements NestInterceptor {
  private readonly admission = new Admission();

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return from(this.admission.run(() => lastValueFrom(next.handle())));
  }
}
