import { budgetText } from '#lab/explore';
import { problem, ProblemError } from '#lab/http';
import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Classroom, CurrentMember, type Member } from '../classroom';
import { findGoal, GOALS, type Goal } from './goals';
import { GoalsService } from './goals.service';
import { GoalParams, GoalResult, GoalView, ProofBody } from './schemas';

@ApiTags('goals')
@Controller('goals')
export class GoalsController {
  constructor(
    private readonly goals: GoalsService,
    private readonly classroom: Classroom,
  ) {}

  @Get()
  @ApiOperation({ summary: 'What a learner is asked to show or to prove' })
  @ApiOkResponse({ type: GoalView, isArray: true })
  list(): GoalView[] {
    return GOALS.map(viewOf);
  }

  @Post(':goal/proofs')
  @HttpCode(200)
  @ApiOperation({
    summary:
      'Checks a proof: runs its schedule again, or reads the counts of its exploration or the verdict of its run',
  })
  @ApiOkResponse({ type: GoalResult })
  async check(
    @Param() { goal: id }: GoalParams,
    @Body() proof: ProofBody,
    @CurrentMember() member: Member,
  ): Promise<GoalResult> {
    const goal = findGoal(id);
    if (goal === undefined)
      throw new ProblemError(
        problem('REQUEST.NOT_FOUND', `there is no goal "${id}". GET /api/goals lists them`),
      );
    const result = await this.goals.check(goal, proof, member);
    if (result.reached) this.classroom.reach(member, goal.id);
    return result;
  }
}

const viewOf = (goal: Goal): GoalView =>
  goal.task === 'prove' ? { ...goal, faults: budgetText(goal.faults) } : goal;
