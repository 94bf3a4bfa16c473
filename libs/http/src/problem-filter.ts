import {
  Catch,
  HttpException,
  NotFoundException,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ZodValidationException } from 'nestjs-zod';
import { z } from 'zod';
import { log } from './log';
import { problem, problemOf, unsupportedMediaType, type Problem } from './problem';
import type { RouteMethods } from './route-methods';

/** Converts every error to a problem+json response; a 5xx leaves a line in the log. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly routes: RouteMethods) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const { id: request, headers, method, url } = http.getRequest<FastifyRequest>();
    const methods = error instanceof NotFoundException ? this.routes.of(url) : [];
    const isWrongMethod = methods.length > 0 && !methods.includes(method);
    if (isWrongMethod) void http.getResponse<FastifyReply>().header('Allow', methods.join(', '));
    const answer = isWrongMethod ? wrongMethod(method, methods) : translate(error);
    const attempt = headers['x-deduction-id'];
    log.answered(answer, error, { request, ...(typeof attempt === 'string' && { attempt }) });
    send(http.getResponse<FastifyReply>(), answer);
  }
}

export function send(reply: FastifyReply, { retryAfterSeconds, ...body }: Problem): void {
  if (retryAfterSeconds !== undefined) void reply.header('Retry-After', String(retryAfterSeconds));
  void reply
    .status(body.status)
    .header('Content-Type', 'application/problem+json')
    .send(JSON.stringify(body));
}

/** For a union, the issues of the alternative with the fewest. */
function closest(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  return issue.errors.toSorted((a, b) => a.length - b.length)[0] ?? [issue];
}

const wrongMethod = (method: string, methods: readonly string[]): Problem =>
  problem(
    'REQUEST.METHOD_NOT_ALLOWED',
    `this path does not support ${method}, only ${methods.join(', ')}. GET /docs lists all routes`,
  );

function translate(error: unknown): Problem {
  if (error instanceof ZodValidationException) {
    const issues = (error.getZodError() as z.ZodError).issues.flatMap(closest);
    const detail = z.prettifyError(new z.ZodError(issues)).replaceAll('\n', ' ');
    return problem('REQUEST.INVALID', detail, { errors: issues });
  }
  if (error instanceof HttpException) {
    const status = error.getStatus();
    // 403: a path outside of the folder of the page at /docs
    if (status === 404 || status === 403)
      return problem('REQUEST.NOT_FOUND', `${error.message}. GET /docs lists all routes`);
    if (status === 415) return unsupportedMediaType();
    if (status === 413) return problem('REQUEST.TOO_LARGE', 'the body is larger than 16 KiB');
    if (status < 500) return problem('REQUEST.INVALID', error.message);
  }
  return problemOf(error);
}
