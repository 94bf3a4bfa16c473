import { componentsAt, type Component } from '#lab/step';
import { componentsOf, findStrategy } from '#lab/strategy';
import { DEMO, MORE, shownInChinese, type Scenario } from '#load-tests/scenarios';
import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Lab } from '../lab';
import { isForTeacher } from './run-plan';
import { Preset } from './schemas';

@ApiTags('run')
@Controller('presets')
export class PresetsController {
  constructor(private readonly lab: Lab) {}

  @Get()
  @ApiOperation({ summary: 'The predefined runs, those of the demo first' })
  @ApiOkResponse({ type: Preset, isArray: true })
  async list(): Promise<Preset[]> {
    const stack = await this.lab.find();
    const started = stack === undefined ? undefined : componentsAt(stack.urls.servers);
    return [
      ...DEMO.map((scenario) => presetOf(scenario, 'demo', started)),
      ...MORE.map((scenario) => presetOf(scenario, 'more', started)),
    ];
  }
}

/** `started`: undefined when no lab runs, which therefore lacks nothing yet. */
function presetOf(
  { name, shows, plan }: Scenario,
  group: Preset['group'],
  started: readonly Component[] | undefined,
): Preset {
  const needs = componentsOf([findStrategy(plan.strategy)]).filter(
    (component) => started?.includes(component) === false,
  );
  const inChinese = shownInChinese(shows);
  return {
    name,
    shows,
    ...(inChinese !== undefined && { inChinese }),
    strategy: plan.strategy,
    group,
    needs,
    isForTeacher: isForTeacher(plan),
  };
}
