import { ProcessMemory, type Decision, type LimiterTools } from '#lab/limit';
import { DependencyDown, systemClock, type SteppedRedis } from '#lab/step';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestRecorder } from '../lab/request-recorder';
import { ConditionLog } from '../log';
import { problem, ProblemError } from '../problem';
import { namesLimit, readLimit, type ChosenLimit } from './chosen-limit';
import { clientOf } from './client-of';
import { rateLimitFields, secondsUp } from './rate-limit-fields';
import { placeOfLimit } from './takes-limit';

/** Says that a request was admitted without a decision, because Redis did not answer. */
const NOT_ENFORCED = 'X-Limit-Not-Enforced';

/** Enforces the limit that a request chooses, before its parameters are validated and before anything is changed. */
@Injectable()
export class LimitGuard implements CanActivate {
  private readonly tools: LimiterTools;
  private readonly condition = new ConditionLog('the rate limiter');

  constructor(
    redis: SteppedRedis,
    private readonly requests: RequestRecorder,
  ) {
    this.tools = { redis, clock: systemClock, process: new ProcessMemory() };
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const query = request.query as Record<string, unknown>;
    if (!namesLimit(query, request.headers)) return true;
    const place = placeOfLimit(context);
    const considered = place === 'query' ? query : {};
    if (!namesLimit(considered, request.headers)) return true;
    if (place === undefined) throw notHere(request);
    const chosen = readLimit(considered, request.headers);
    return this.enforce(chosen, request, context.switchToHttp().getResponse<FastifyReply>());
  }

  private async enforce(chosen: ChosenLimit, request: FastifyRequest, reply: FastifyReply): Promise<true> {
    const { limiter, limit, onError, ignored } = chosen;
    const client = clientOf(request);
    const fault = request.headers['x-fault'];
    const faults = this.requests.readFaults(typeof fault === 'string' ? fault : undefined);
    const line = { request: request.id, limiter: limiter.name, client, ...limit };
    if (ignored.length > 0) void reply.header('X-Limit-Ignored', ignored.join(', '));
    let decision: Decision;
    try {
      decision = await this.requests.decide(request.id, faults, () =>
        limiter.decide(client, limit, this.tools),
      );
    } catch (error) {
      if (!(error instanceof DependencyDown)) throw error;
      this.requests.decided({ ...line, admitted: onError === 'open', onError });
      if (onError === 'closed') throw error;
      this.condition.failed(error);
      void reply.header(NOT_ENFORCED, error.code);
      return true;
    }
    this.condition.succeeded();
    const { admitted, at } = decision;
    this.requests.decided({ ...line, admitted, ...(at !== undefined && { at }) });
    void reply.headers(rateLimitFields(limiter.name, limit, decision));
    if (!admitted) throw exceeded(chosen, client, decision);
    return true;
  }
}

function exceeded(
  { limiter, limit }: ChosenLimit,
  client: string,
  { resetMs, retryAfterMs = resetMs }: Decision,
): ProblemError {
  const seconds = Math.max(1, secondsUp(retryAfterMs));
  const detail = `"${client}" has used up its limit of ${limit.max} requests in ${limit.windowMs} ms (${limiter.name}): nothing was done. Try again in ${seconds} s`;
  return new ProblemError(problem('LIMIT.EXCEEDED', detail, { retryAfterSeconds: seconds }));
}

const notHere = ({ method, routeOptions }: FastifyRequest): ProblemError =>
  new ProblemError(
    problem('REQUEST.INVALID', `${method} ${routeOptions.url ?? ''} takes no limit: nothing was done`),
  );
