import { USES, type Effect, type UseName } from '#lab/guard';
import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { ActionsService } from './actions.service';

const use = z.enum(USES.map(({ name }) => name) as [UseName, ...UseName[]]);
const milliseconds = z.int().min(0).max(3_600_000);
const key = z.string().regex(/^[\w.-]{1,48}$/);

class UseParams extends createZodDto(z.strictObject({ use })) {}
class ActionsResetBody extends createZodDto(
  z.strictObject({
    use,
    keys: z.array(key).max(1000).default([]),
    expiresInMs: milliseconds
      .default(0)
      .describe('cached pages expire so much later, milliseconds; 0: they have expired'),
    buildMs: milliseconds.default(100).describe('their build took so long, milliseconds'),
  }),
) {}

/** Exists only when the lab is enabled; only the lab address routes to it. */
@ApiTags('lab')
@Controller('lab/account/actions')
export class ActionsLabController {
  constructor(private readonly actions: ActionsService) {}

  @Post('reset')
  @HttpCode(200)
  @ApiOperation({ summary: 'Remove all effects of a use, and prepare it for actions with these keys' })
  async reset(@Body() body: ActionsResetBody): Promise<{ use: UseName; keys: number }> {
    const { use: reset, keys, ...oldPages } = body;
    await this.actions.reset(reset, keys, oldPages);
    return { use: reset, keys: keys.length };
  }

  @Get(':use/effects')
  @ApiOperation({ summary: 'All committed effects of a use, in their order' })
  effects(@Param() params: UseParams): Promise<readonly Effect[]> {
    return this.actions.effects(params.use);
  }
}
