import {
  NoLongerReproduces,
  readSchedule,
  readToken,
  strategyHash,
  writeToken,
  type Choice,
  type ScheduleToken,
} from '#lab/explore';
import { problem, ProblemError } from '#lab/http';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentMember, type Member } from '../classroom';
import { BeginBody, ChooseBody, StepView } from './schemas';
import { Schedules } from './schedules';
import { setupOf } from './setup';
import { stepViewOf } from './step-view';

@ApiTags('step')
@Controller('steps')
export class StepsController {
  constructor(private readonly schedules: Schedules) {}

  @Post('begin')
  @HttpCode(200)
  @ApiOperation({ summary: 'Begins a schedule: every buyer is held before its first step' })
  @ApiOkResponse({ type: StepView })
  begin(@Body() chosen: BeginBody, @CurrentMember() member: Member): Promise<StepView> {
    const setup = setupOf(chosen);
    return this.play(
      { setup, choices: [], checks: '', kinds: [], hash: strategyHash(setup.strategy) },
      member,
    );
  }

  @Post()
  @HttpCode(200)
  @ApiOperation({ summary: 'Plays a schedule, and makes one more choice' })
  @ApiOkResponse({ type: StepView })
  choose(@Body() { token, choice, finish }: ChooseBody, @CurrentMember() member: Member): Promise<StepView> {
    const given = readToken(token);
    const [next, ...others] = choice === undefined ? [] : (readSchedule(choice) ?? []);
    if (choice !== undefined && (next === undefined || others.length > 0))
      throw new ProblemError(
        problem(
          'REQUEST.INVALID',
          `"${choice}" is no choice: use one that the last answer lists in "controls"`,
        ),
      );
    return this.play(given, member, next, finish);
  }

  private async play(token: ScheduleToken, by: Member, next?: Choice, finish = false): Promise<StepView> {
    try {
      return await this.schedules.play({ ...token, next }, by, async (schedule) => {
        if (finish) await schedule.finish();
        return stepViewOf(schedule);
      });
    } catch (error) {
      if (!(error instanceof NoLongerReproduces)) throw error;
      // the way back: the schedule up to the last choice that still is what it was
      const rest = writeToken({
        ...token,
        choices: token.choices.slice(0, error.step - 1),
        checks: '',
        kinds: [],
      });
      throw new ProblemError(
        problem(
          'EXPLORE.NO_LONGER',
          token.hash === strategyHash(token.setup.strategy)
            ? `this token has a choice that is not possible there: ${error.message}`
            : `the strategy has changed since this schedule was found: ${error.message}`,
          {
            errors: { token: rest },
          },
        ),
      );
    }
  }
}
