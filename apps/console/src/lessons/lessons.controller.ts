import type { Language } from '#lab/verdict';
import { findLesson, readLessons, slideOf, type Lesson } from '#lab/course';
import { problem, ProblemError } from '#lab/http';
import { Controller, Get, Header, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { readFileSync } from 'node:fs';
import { LanguageQuery } from '../language-query';
import { lessonSummary, lessonView } from './lesson-view';
import { LessonParams, LessonSummary, LessonView, SlideParams } from './schemas';

/** A slide is a drawing: it loads nothing and runs nothing. */
const SLIDE_POLICY = "default-src 'none'";
/** Of the whole picture. Without it the browser fits the picture into its window. */
const SLIDE_SIZE = / width="\d+" height="\d+"/;

@ApiTags('lessons')
@Controller('lessons')
export class LessonsController {
  @Get()
  @ApiOperation({ summary: 'All lessons, in order' })
  @ApiOkResponse({ type: LessonSummary, isArray: true })
  list(@Query() { lang }: LanguageQuery): LessonSummary[] {
    return readLessons(lang).map(lessonSummary);
  }

  @Get(':lesson')
  @ApiOperation({ summary: 'A lesson as HTML' })
  @ApiOkResponse({ type: LessonView })
  one(@Param() { lesson: name }: LessonParams, @Query() { lang }: LanguageQuery): LessonView {
    return lessonView(lessonNamed(name, lang));
  }

  @Get(':lesson/slides/:slide')
  @Header('Content-Type', 'image/svg+xml; charset=utf-8')
  @Header('Content-Security-Policy', SLIDE_POLICY)
  @ApiProduces('image/svg+xml')
  @ApiOperation({ summary: 'A schedule of a lesson as a slide' })
  slide(@Param() { lesson: name, slide }: SlideParams, @Query() { lang }: LanguageQuery): string {
    const file = slideOf(lessonNamed(name, lang), slide);
    if (file === undefined)
      throw new ProblemError(problem('REQUEST.NOT_FOUND', `lesson "${name}" has no slide ${slide}`));
    return readFileSync(file, 'utf8').replace(SLIDE_SIZE, '');
  }
}

function lessonNamed(name: string, language: Language): Lesson {
  const lesson = findLesson(readLessons(language), name);
  if (lesson === undefined)
    throw new ProblemError(
      problem('REQUEST.NOT_FOUND', `there is no lesson "${name}". GET /api/lessons lists them`),
    );
  return lesson;
}
