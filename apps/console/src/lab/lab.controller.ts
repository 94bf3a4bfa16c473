import { componentsAt } from '#lab/step';
import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Lab } from './running-lab';
import { LabView } from './schemas';

@ApiTags('lab')
@Controller('lab')
export class LabController {
  constructor(private readonly lab: Lab) {}

  @Get()
  @ApiOperation({
    summary: 'The lab that receives the load: whether it runs, its replicas and its servers on demand',
  })
  @ApiOkResponse({ type: LabView })
  async find(): Promise<LabView> {
    const stack = await this.lab.find();
    const replicas = await stack?.replicas().catch(() => undefined);
    if (stack === undefined || replicas === undefined)
      return { isRunning: false, replicas: [], components: [] };
    return {
      isRunning: true,
      shop: stack.urls.public,
      replicas: replicas.map(({ name, app, state, starts }) => ({ name, app, state, starts })),
      components: componentsAt(stack.urls.servers),
    };
  }
}
