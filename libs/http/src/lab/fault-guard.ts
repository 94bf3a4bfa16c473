import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { namesLimit } from '../limit/chosen-limit';
import { placeOfLimit } from '../limit/takes-limit';
import { problem, ProblemError } from '../problem';

/** Marks an endpoint whose requests may carry `x-fault`. */
export const TakesFaults = Reflector.createDecorator<true, boolean>({ transform: () => true });

export const faultsDisabled = (): ProblemError =>
  new ProblemError(
    problem('FAULT.DISABLED', 'x-fault is accepted only when the lab is enabled: set LAB_ENABLED=true'),
  );

/** Refuses `x-fault` at an endpoint that would ignore it: a fault without effect would make a broken lock look safe. */
@Injectable()
export class FaultGuard implements CanActivate {
  private readonly reflector = new Reflector();

  constructor(private readonly labEnabled: boolean) {}

  canActivate(context: ExecutionContext): boolean {
    const { headers, method, query, routeOptions } = context.switchToHttp().getRequest<FastifyRequest>();
    const fault = headers['x-fault'];
    if (fault === undefined || fault === '') return true;
    if (this.reflector.get(TakesFaults, context.getHandler())) return true;
    if (this.hasLimiter(context, query as Record<string, unknown>, headers)) return true;
    if (!this.labEnabled) throw faultsDisabled();
    throw new ProblemError(
      problem(
        'FAULT.UNSUPPORTED',
        `${method} ${routeOptions.url ?? ''} accepts no x-fault: nothing was done. ` +
          'POST /orders, /accounts/ID/entries and /accounts/ID/imports accept it, and every request that chooses a limit',
      ),
    );
  }

  /** The fault can hit the limiter of the request. */
  private hasLimiter(
    context: ExecutionContext,
    query: Readonly<Record<string, unknown>>,
    headers: FastifyRequest['headers'],
  ): boolean {
    const place = placeOfLimit(context);
    return place !== undefined && namesLimit(place === 'query' ? query : {}, headers);
  }
}
