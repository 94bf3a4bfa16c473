import type { Fault } from '#lab/step';
import { createParamDecorator, Injectable, type ExecutionContext, type PipeTransform } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { readChosen, type Chosen } from './chosen';
import { RequestRecorder } from './lab/request-recorder';

const requestOf = (context: ExecutionContext): FastifyRequest =>
  context.switchToHttp().getRequest<FastifyRequest>();

/** Parameter: the strategy and options of the request, of type `Chosen`. 400 when they are invalid. */
export const ChosenStrategy = createParamDecorator((_: unknown, context: ExecutionContext): Chosen => {
  const { query, headers } = requestOf(context);
  return readChosen(query as Record<string, unknown>, headers);
});

/** Parameter: the id of the request, a string. */
export const RequestId = createParamDecorator(
  (_: unknown, context: ExecutionContext): string => requestOf(context).id,
);

/** Reads the faults of an `x-fault` header: 400 when it is invalid, 403 when the lab is disabled. */
@Injectable()
class ReadFaults implements PipeTransform<string | undefined, readonly Fault[]> {
  constructor(private readonly requests: RequestRecorder) {}

  transform(header: string | undefined): readonly Fault[] {
    return this.requests.readFaults(header);
  }
}

const FaultHeader = createParamDecorator(
  (_: unknown, context: ExecutionContext) => requestOf(context).headers['x-fault'],
);

/** Parameter: the faults that the request carries for this app, of type `readonly Fault[]`. */
export const RequestFaults = (): ParameterDecorator => FaultHeader(ReadFaults);
