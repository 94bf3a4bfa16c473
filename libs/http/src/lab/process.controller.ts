import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';

/** Current resources of one process. */
export interface ProcessLook {
  readonly pid: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
  /** Number of active resources of its event loop, by kind: sockets, timers, pending requests. */
  readonly resources: Readonly<Record<string, number>>;
}

/** Exists only when the lab is enabled. nginx routes to any replica: call a specific one at its own address. */
@ApiTags('lab')
@Controller('lab/process')
export class ProcessController {
  @Get()
  @ApiOperation({
    summary:
      'Memory and open resources of this replica, after a garbage collection if Node.js runs with --expose-gc',
  })
  look(): ProcessLook {
    globalThis.gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    const resources: Record<string, number> = {};
    for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
    return { pid: process.pid, rssBytes: rss, heapBytes: heapUsed, resources };
  }
}
