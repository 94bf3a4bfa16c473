import { count } from '#lab/step';
import type { Language } from '#lab/verdict';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { LABELS, type Question } from './question';
import {
  afterAnswer,
  ASSESSMENTS,
  choose,
  dayOf,
  dueDay,
  isRepeated,
  type Assessment,
  type Card,
  type Cards,
} from './spaced-repetition';

export interface QuizOptions {
  readonly language: Language;
  readonly questions: readonly Question[];
  /**
   * Reads the questions that were answered before: at the start, and again after each answer, because another quiz may have
   * written its answers meanwhile.
   */
  readonly load: () => Cards;
  /** Questions at most. */
  readonly count: number;
  readonly now: () => Date;
  /** Called after each answer, with all cards. */
  readonly save: (cards: Cards) => void;
  readonly input: Readable;
  readonly output: Writable;
  /** Whether input and output are a terminal, whose user may edit a line. */
  readonly terminal: boolean;
  /** How a part of a question is shown. */
  readonly show: (markdown: string) => string;
}

/** What a quiz was about. */
export interface QuizResult {
  readonly asked: number;
  readonly answers: Readonly<Record<Assessment, number>>;
  /** Ctrl-C has ended it. */
  readonly interrupted: boolean;
}

/** How many questions of each kind a quiz asks. */
interface Chosen {
  readonly due: number;
  readonly fresh: number;
  /** Those that were answered today. */
  readonly repeated: number;
}

interface Words {
  readonly start: (chosen: Chosen) => string;
  readonly nothing: (day: string) => string;
  readonly answer: string;
  readonly assess: string;
  readonly again: string;
  readonly filed: (day: string) => string;
  readonly filedToday: string;
  readonly summary: (answers: Readonly<Record<Assessment, number>>) => string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    start: ({ due, fresh, repeated }) =>
      `${count(due + fresh + repeated, 'question')}: ${due} due, ${fresh} new${repeated === 0 ? '' : `, ${repeated} answered earlier today`}. Type an answer and press Enter; Ctrl-C ends the quiz.`,
    nothing: (day) => `No question is due, and none is new. The next one is due on ${day}.`,
    answer: 'Your answer> ',
    assess: '1 = knew it, 2 = partly, 3 = no> ',
    again: 'Type 1, 2 or 3.',
    filed: (day) => `Asked again on ${day}.`,
    filedToday: 'Asked again today, after the new questions.',
    summary: ({ knew, partly, no }) =>
      `${knew + partly + no} answered: ${knew} known, ${partly} partly, ${no} not known.`,
  },
  zh: {
    start: ({ due, fresh, repeated }) =>
      `共 ${due + fresh + repeated} 题：${due} 道到期复习，${fresh} 道新题${repeated === 0 ? '' : `，${repeated} 道今天答过`}。输入答案后回车，Ctrl-C 结束。`,
    nothing: (day) => `没有到期的题，也没有新题。下一题在 ${day} 到期。`,
    answer: '你的答案> ',
    assess: '1 = 会，2 = 会一部分，3 = 不会> ',
    again: '请输入 1、2 或 3。',
    filed: (day) => `${day} 再考。`,
    filedToday: '今天再考，排在新题之后。',
    summary: ({ knew, partly, no }) =>
      `答了 ${knew + partly + no} 题：会 ${knew}，会一部分 ${partly}，不会 ${no}。`,
  },
};

/** Asks questions until there are no more, the input ends, or Ctrl-C is pressed. */
export async function runQuiz(options: QuizOptions): Promise<QuizResult> {
  const { language, questions, now, show, input, output, terminal } = options;
  const words = WORDS[language];
  const answers: Record<Assessment, number> = { knew: 0, partly: 0, no: 0 };
  const cards = options.load();
  let interrupted = false;
  const say = (text: string): void => void output.write(`${text}\n`);

  const chosen = choose(questions, cards, dayOf(now()), options.count);
  if (chosen.length === 0) {
    const days = questions.flatMap(({ number }) => cards[number] ?? []).map(dueDay);
    say(words.nothing(days.sort()[0] ?? ''));
    return { asked: 0, answers, interrupted };
  }
  const terminalInterface = createInterface({ input, output, terminal });
  terminalInterface.on('SIGINT', () => {
    interrupted = true;
    terminalInterface.close();
  });
  const read = lineReader(terminalInterface);
  try {
    say(show(words.start(kindsOf(chosen, cards, dayOf(now())))));
    for (const question of chosen) {
      say(`\n${show(`${question.number}. ${question.question}`)}\n`);
      if ((await read(words.answer)) === undefined) break;
      say(`\n${answerOf(question, options)}\n`);
      const assessment = await readAssessment(read, say, words);
      if (assessment === undefined) break;
      answers[assessment] += 1;
      const day = dueDay(keepAnswer(question, assessment, options));
      say(day === dayOf(now()) ? words.filedToday : words.filed(day));
    }
  } finally {
    terminalInterface.close();
  }
  say(`\n${words.summary(answers)}`);
  return { asked: answers.knew + answers.partly + answers.no, answers, interrupted };
}

function kindsOf(chosen: readonly Question[], cards: Cards, today: string): Chosen {
  const known = chosen.flatMap(({ number }) => cards[number] ?? []);
  const repeated = known.filter((card) => isRepeated(card, today)).length;
  return { due: known.length - repeated, fresh: chosen.length - known.length, repeated };
}

/** Keeps the answer to a question: only its card changes. Returns the card. */
function keepAnswer({ number }: Question, assessment: Assessment, { load, save, now }: QuizOptions): Card {
  const cards = load();
  const card = afterAnswer(cards[number], assessment, dayOf(now()));
  save({ ...cards, [number]: card });
  return card;
}

type ReadLine = (prompt: string) => Promise<string | undefined>;

/** Reads line by line, also those that arrive before they are asked for; undefined: the input has ended. */
function lineReader(lines: Interface): ReadLine {
  const iterator = lines[Symbol.asyncIterator]();
  let ended = false;
  lines.once('close', () => (ended = true));
  return async (prompt) => {
    if (!ended) {
      lines.setPrompt(prompt);
      lines.prompt();
    }
    const { done, value } = (await iterator.next()) as IteratorResult<string, undefined>;
    return done === true ? undefined : value;
  };
}

async function readAssessment(
  read: ReadLine,
  say: (text: string) => void,
  words: Words,
): Promise<Assessment | undefined> {
  for (;;) {
    const line = await read(words.assess);
    if (line === undefined) return undefined;
    const assessment = /^[123]$/.test(line.trim()) ? ASSESSMENTS[Number(line) - 1] : undefined;
    if (assessment !== undefined) return assessment;
    say(words.again);
  }
}

const answerOf = ({ short, trap, evidence }: Question, { language, show }: QuizOptions): string =>
  Object.entries({ short, trap, evidence })
    .map(([part, text]) => show(`${LABELS[language][part as 'short' | 'trap' | 'evidence']} ${text}`))
    .join('\n\n');
