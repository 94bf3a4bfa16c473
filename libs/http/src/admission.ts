import {
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { finalize, throwError, type Observable } from 'rxjs';
import { ConditionLog, markLogged } from './log';
import { problem, ProblemError } from './problem';

/** The number of requests to the bounded endpoint that a replica admits at the same time. */
export const ADMITTED_AT_ONCE = Symbol('requests admitted at once');

/**
 * Bounds the requests to an endpoint that are at work at the same time, before their parameters are read. A request beyond
 * the bound is refused with `OVERLOADED` before anything is done for it. nginx has the same bound for each replica and refuses
 * sooner. This one holds where nginx counts less than the replica has: a client that closes its connection leaves its request
 * at work.
 */
@Injectable()
export class AdmissionInterceptor implements NestInterceptor {
  private atWork = 0;
  private readonly condition = new ConditionLog('the admission of orders');

  constructor(@Inject(ADMITTED_AT_ONCE) private readonly bound: number) {}

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (this.atWork >= this.bound) return throwError(() => this.refusal());
    this.atWork++;
    return next.handle().pipe(
      finalize(() => {
        this.atWork--;
        this.condition.succeeded();
      }),
    );
  }

  /** An overloaded replica refuses thousands of requests: only the first refusal has a line in the log. */
  private refusal(): ProblemError {
    const why = `this replica has ${this.bound} orders at work, its maximum: nothing was done. Try again later`;
    const error = new ProblemError(problem('OVERLOADED', why));
    this.condition.failed(error, 'OVERLOADED');
    return markLogged(error);
  }
}
