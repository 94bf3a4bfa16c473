import type { Language } from '#lab/verdict';

/** A question that an interviewer asks after the answer. */
export interface FollowUp {
  readonly question: string;
  readonly answer: string;
}

/** One question of walkthroughs/interview/LANGUAGE/NN-topic.md. All texts are Markdown. */
export interface Question {
  /** Counted through all pages; the same in every language. */
  readonly number: number;
  /** The name of its page without number, for example `basics`. */
  readonly topic: string;
  readonly question: string;
  /** What a candidate says aloud: about 30 seconds. */
  readonly short: string;
  readonly full: string;
  readonly followUps: readonly FollowUp[];
  /** What candidates say wrongly. */
  readonly trap: string;
  readonly evidence: string;
  /** The commands `npx lab …` of the evidence. */
  readonly commands: readonly string[];
}

/** A page of questions. */
export interface Topic {
  /** For example `basics`. */
  readonly name: string;
  readonly title: string;
  readonly questions: readonly Question[];
}

/** The parts of a question, in their order. */
export const PARTS = ['short', 'full', 'followUps', 'trap', 'evidence'] as const;
export type PartName = (typeof PARTS)[number];

/** The bold words with which each part begins. */
export const LABELS: Readonly<Record<Language, Readonly<Record<PartName, string>>>> = {
  en: {
    short: 'Short answer.',
    full: 'Full answer.',
    followUps: 'Follow-ups.',
    trap: 'Trap.',
    evidence: 'Evidence.',
  },
  zh: { short: '简答。', full: '详答。', followUps: '追问。', trap: '陷阱。', evidence: '证据。' },
};
