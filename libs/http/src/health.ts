import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ConditionLog, markLogged } from './log';
import { problem, ProblemError } from './problem';

/** The readiness checks by server name; each rejects when its server does not answer. */
export const READINESS = Symbol('readiness checks');
export type Readiness = Readonly<Record<string, () => Promise<unknown>>>;

@ApiTags('health')
@Controller('health')
export class HealthController {
  private readonly readiness = new ConditionLog('the readiness check');

  constructor(@Inject(READINESS) private readonly checks: Readiness) {}

  @Get('live')
  @ApiOperation({ summary: 'Liveness: the process runs' })
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({ summary: 'Readiness: the process and the servers that it needs answer' })
  async ready(): Promise<{ status: 'ok' }> {
    const names = Object.keys(this.checks);
    const results = await Promise.allSettled(Object.values(this.checks).map((check) => check()));
    const down = names.filter((_, i) => results[i]?.status === 'rejected');
    if (down.length > 0) {
      const detail = `no answer from ${down.join(' and ')}. Try again when the server is up`;
      const error = new ProblemError(problem('DEPENDENCY.DOWN', detail));
      error.cause = results.flatMap((result) =>
        result.status === 'rejected' ? [result.reason as unknown] : [],
      )[0];
      this.readiness.failed(error, down.join(' and '));
      throw markLogged(error); // probes repeat: only a change of readiness is logged
    }
    this.readiness.succeeded();
    return { status: 'ok' };
  }
}
