import type { Language } from '#lab/verdict';
import {
  BrokenCardsFile,
  CourseSyntaxError,
  readCards,
  readTopics,
  runQuiz,
  writeCards,
  type Cards,
  type Question,
  type Topic,
} from '#lab/course';
import { projectRoot } from '#lab/stack';
import { InvalidArgumentError, type Command } from 'commander';
import { join } from 'node:path';
import { writeJson } from '../command';
import { EXIT, Failure } from '../failure';
import { chosenLanguage, languageOption } from '../language';
import { NEXT_STEPS, printQuestion, printTopics, showText } from '../print/interview';
import { whole } from './numbers';

interface InterviewOptions {
  readonly topic?: string;
  readonly lang?: Language;
  readonly json?: string;
  readonly quiz?: true;
  readonly count?: number;
  readonly file?: string;
}

const DEFAULT_COUNT = 10;
const MOST_QUESTIONS = 999;

export function register(program: Command): void {
  program
    .command('interview')
    .argument('[number]', 'print this question with its answers', questionNumber)
    .description('questions that are asked about distributed locks and overselling, with answers and a quiz')
    .option('--topic <name>', 'only the questions of this topic')
    .addOption(languageOption())
    .option('--json <file>', 'write the questions as JSON')
    .option('--quiz', 'be asked: questions that are due, then new ones (spaced repetition)')
    .option('--count <n>', `questions of --quiz (${DEFAULT_COUNT})`, whole(1, MOST_QUESTIONS))
    .option('--file <file>', 'where --quiz keeps what was answered (.lab/interview.json)')
    .action((number: number | undefined, options: InterviewOptions) => interview(number, options));
}

/** Reads the number of a question, which may not exist. */
function questionNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const last = allTopics('en').flatMap(({ questions }) => questions).length;
  throw new InvalidArgumentError(`It must be the number of a question, from 1 to ${last}.`);
}

async function interview(number: number | undefined, options: InterviewOptions): Promise<void> {
  refuseContradictions(number, options);
  const language = chosenLanguage(options.lang);
  const topics = chosenTopics(allTopics(language), options.topic);
  const questions = topics.flatMap((topic) => topic.questions);
  if (options.quiz === true) {
    await quiz(questions, language, options);
    return;
  }
  const chosen = number === undefined ? questions : [findQuestion(questions, number)];
  if (options.json !== undefined) writeJson(options.json, chosen);
  const [first] = chosen;
  const text =
    number === undefined || first === undefined
      ? `${printTopics(topics)}\n\n${NEXT_STEPS[language]}`
      : printQuestion(first, language);
  process.stdout.write(`${text}\n`);
}

function refuseContradictions(number: number | undefined, options: InterviewOptions): void {
  const { topic, json, quiz, count, file } = options;
  const refuse = (message: string): never => {
    throw new Failure(message, EXIT.usage);
  };
  if (number !== undefined && topic !== undefined) refuse('give a number or --topic, not both');
  if (number !== undefined && quiz === true) refuse('--quiz chooses the questions: omit the number');
  if (json !== undefined && quiz === true) refuse('--json writes the questions: omit --quiz');
  if (count !== undefined && quiz !== true) refuse('--count needs --quiz');
  if (file !== undefined && quiz !== true) refuse('--file needs --quiz');
}

function allTopics(language: Language): Topic[] {
  try {
    return readTopics(language);
  } catch (error) {
    if (error instanceof CourseSyntaxError)
      throw new Failure(error.message, EXIT.notAsExpected, { cause: error });
    throw error;
  }
}

function chosenTopics(topics: readonly Topic[], name: string | undefined): readonly Topic[] {
  if (name === undefined) return topics;
  const found = topics.filter((topic) => topic.name === name);
  if (found.length > 0) return found;
  throw new Failure(
    `there is no topic "${name}": choose one of ${topics.map((topic) => topic.name).join(', ')}`,
    EXIT.usage,
  );
}

function findQuestion(questions: readonly Question[], number: number): Question {
  const found = questions.find((question) => question.number === number);
  if (found !== undefined) return found;
  throw new Failure(`there is no question ${number}: the last one is ${questions.length}`, EXIT.usage);
}

async function quiz(
  questions: readonly Question[],
  language: Language,
  { count = DEFAULT_COUNT, file = join(projectRoot(), '.lab', 'interview.json') }: InterviewOptions,
): Promise<void> {
  const { stdin: input, stdout: output } = process;
  const { interrupted } = await runQuiz({
    language,
    questions,
    load: () => readAnswered(file),
    count,
    now: () => new Date(),
    save: (cards) => {
      save(file, cards);
    },
    input,
    output,
    terminal: input.isTTY && output.isTTY,
    show: (markdown) => showText(markdown),
  });
  process.exit(interrupted ? EXIT.interrupted : EXIT.ok);
}

function readAnswered(file: string): Cards {
  try {
    return readCards(file);
  } catch (error) {
    if (error instanceof BrokenCardsFile) throw new Failure(error.message, EXIT.usage, { cause: error });
    throw new Failure(`cannot read ${file}: ${(error as Error).message}`, EXIT.usage, { cause: error });
  }
}

function save(file: string, cards: Cards): void {
  try {
    writeCards(file, cards);
  } catch (error) {
    throw new Failure(`cannot write ${file}: ${(error as Error).message}`, EXIT.usage, { cause: error });
  }
}
