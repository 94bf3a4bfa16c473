export { lineBreak, renderHtml, type PageLinks } from './markdown';
export { checkLesson, wordsOf, type CheckedCommand } from './lesson/check-lesson';
export { compareOutput } from './lesson/compare-output';
export { CourseSyntaxError, type Lesson, type LessonCommand } from './lesson/lesson';
export { findLesson, lessonOf, readLessons, slideOf } from './lesson/lessons';
export { readLesson } from './lesson/read-lesson';
export { HEADINGS, SECTIONS, type SectionName } from './lesson/sections';
export { BrokenCardsFile, readCards, writeCards } from './interview/cards-file';
export { LABELS, PARTS, type FollowUp, type Question, type Topic } from './interview/question';
export { runQuiz, type QuizResult } from './interview/quiz';
export { readQuestions, readTopic, readTopics } from './interview/read-questions';
export { afterAnswer, choose, dayOf, dueDay, type Card, type Cards } from './interview/spaced-repetition';
export {
  checkExercise,
  outcomeOf,
  type Because,
  type CheckedRequirement,
  type Checking,
  type Requirement,
} from './exercise/check';
export { ExerciseError, type Exercise } from './exercise/exercise';
export {
  bugOf,
  EXERCISES,
  findExercise,
  readHints,
  readPage,
  solutionFiles,
  sourceFolder,
  startFiles,
} from './exercise/exercises';
export { folderOf, nextHint, readState, requireFiles, resetExercise, startExercise } from './exercise/folder';
