import { findLesson, readLessons } from '#lab/course';
import { problem, ProblemError } from '#lab/http';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { lessonSummary, lessonView } from './lesson-view';
import { LessonParams, LessonQuery, LessonSummary, LessonView } from './schemas';

@ApiTags('lessons')
@Controller('lessons')
export class LessonsController {
  @Get()
  @ApiOperation({ summary: 'All lessons, in order' })
  @ApiOkResponse({ type: LessonSummary, isArray: true })
  list(@Query() { lang }: LessonQuery): LessonSummary[] {
    return readLessons(lang).map(lessonSummary);
  }

  @Get(':lesson')
  @ApiOperation({ summary: 'A lesson as HTML' })
  @ApiOkResponse({ type: LessonView })
  one(@Param() { lesson: name }: LessonParams, @Query() { lang }: LessonQuery): LessonView {
    const lesson = findLesson(readLessons(lang), name);
    if (lesson === undefined)
      throw new ProblemError(
        problem('REQUEST.NOT_FOUND', `there is no lesson "${name}". GET /api/lessons lists them`),
      );
    return lessonView(lesson);
  }
}
