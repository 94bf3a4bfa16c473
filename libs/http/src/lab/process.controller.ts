import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';

/** What one process has at this moment. */
export interface ProcessLook {
  readonly pid: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
  /** What keeps its event loop alive, by kind: sockets, timers, requests under way. */
  readonly resources: Readonly<Record<string, number>>;
}

/** Exists only when the lab is enabled. Through nginx any replica answers: ask the one that is meant at its own address. */
@ApiTags('lab')
@Controller('lab/process')
export class ProcessController {
  @Get()
  @ApiOperation({
    summary:
      'Memory and open resources of this replica; garbage is collected before, where --expose-gc was given',
  })
  look(): ProcessLook {
    globalThis.gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    const resources: Record<string, number> = {};
    for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
    return { pid: process.pid, rssBytes: rss, heapBytes: heapUsed, resources };
  }
}
