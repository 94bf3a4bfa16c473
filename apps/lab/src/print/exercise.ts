import { inChinese } from '#lab/explore';
import type { Language } from '#lab/verdict';
import type { Because, CheckedRequirement, Requirement } from '#lab/course';
import { count } from '#lab/step';
import { CAPABILITIES, type Capability } from '#lab/strategy';
import { PROMISES_IN_CHINESE } from './promises-zh';
import { wrapWide } from './wrap-wide';

const SIGNS = { met: '✓', missed: '✗', unknown: '?' } as const;

/**
 * A line for each requirement; for one that is not met also the reason, and the sentence and the token of its schedule, unless
 * they stand there already.
 */
export function printChecked(
  checked: readonly CheckedRequirement[],
  language: Language,
  replayWith: string,
): string {
  const printed = new Set<string>();
  return checked
    .flatMap(({ requirement, state, schedules, sentence, token, because }) => {
      const number = schedules === undefined ? '' : inBrackets(schedulesText(schedules, language), language);
      const first = wrapWide(`${SIGNS[state]} ${requirementText(requirement, language)}${number}`, 4);
      if (state === 'met') return [first];
      const more = [
        ...(because === undefined ? [] : [wrapWide(`    ${becauseText(because, language)}`, 4)]),
        ...(sentence === undefined
          ? []
          : [wrapWide(`    ${language === 'en' ? sentence : inChinese(sentence)}`, 4)]),
        ...(token === undefined ? [] : [`    npx lab replay ${token}${replayWith}`]),
      ].filter((line) => !printed.has(line));
      for (const line of more) printed.add(line);
      return [first, ...more];
    })
    .join('\n');
}

/** A number of schedules, with its noun. */
export const schedulesText = (n: number, language: Language): string =>
  language === 'en' ? count(n, 'schedule') : `${n.toLocaleString('en')} 个调度`;

const inBrackets = (text: string, language: Language): string =>
  language === 'en' ? ` (${text})` : `（${text}）`;

/** What the exercise ended with. */
export const OUTCOMES = {
  en: {
    solved: 'Solved.',
    'not-solved': 'Not solved yet.',
    unknown: 'Unknown: not every schedule was run, so nothing is proved. Repeat with a larger --max.',
  },
  zh: {
    solved: '通过！',
    'not-solved': '还没有通过。',
    unknown: '无法判定：没有跑完全部调度，什么也证明不了。请用更大的 --max 重试。',
  },
} as const;

function requirementText(requirement: Requirement, language: Language): string {
  const isEnglish = language === 'en';
  switch (requirement.code) {
    case 'token':
      return isEnglish
        ? `answer.txt has the token of a schedule of ${requirement.strategy}`
        : `answer.txt 里是 ${requirement.strategy} 的一个调度 token`;
    case 'violation':
      return isEnglish ? `the schedule shows ${requirement.kind}` : `该调度出现 ${requirement.kind}`;
    case 'decisions':
      return isEnglish
        ? `at most ${requirement.most} decisions (yours: ${requirement.found ?? '?'})`
        : `最多 ${requirement.most} 个决策（你的：${requirement.found ?? '?'}）`;
    case 'faults':
      return isEnglish
        ? `no other fault than ${requirement.allowed.join(', ')}`
        : `只使用故障 ${requirement.allowed.join('、')}`;
    case 'bug-named': {
      const { capability } = requirement;
      if (isEnglish)
        return `answer.txt names a promise that the original lock breaks${capability === undefined ? '' : `: ${capability}`}`;
      return `answer.txt 写出了原来的锁违背的承诺${capability === undefined ? '' : `：${capability}`}`;
    }
    case 'promise':
      return isEnglish
        ? `${requirement.capability}: ${CAPABILITIES[requirement.capability]}`
        : `${requirement.capability}：${promiseInChinese(requirement.capability)}`;
    case 'same-test':
      return isEnglish
        ? 'the actors and the invariants are those of the task'
        : '参与者和不变式与题目一致，没有改动';
    case 'invariants': {
      const { faults } = requirement;
      if (isEnglish) return `the invariants hold ${faults === '' ? 'without a fault' : `with ${faults}`}`;
      return `不变式成立（${faults === '' ? '无故障' : `故障 ${faults}`}）`;
    }
  }
}

function becauseText(because: Because, language: Language): string {
  const isEnglish = language === 'en';
  switch (because.code) {
    case 'no-answer':
      return isEnglish ? 'answer.txt has no answer' : 'answer.txt 里还没有答案';
    case 'not-a-token':
    case 'not-reproduced':
      return because.message;
    case 'other-strategy':
      return isEnglish ? `the token is one of ${because.found}` : `这个 token 属于 ${because.found}`;
    case 'other-faults':
      return isEnglish ? `it has ${because.found.join(', ')}` : `它用了 ${because.found.join('、')}`;
    case 'not-shown': {
      const kinds = because.found.join(', ');
      if (isEnglish) return kinds === '' ? 'it shows no violation' : `it shows ${kinds}`;
      return kinds === '' ? '没有出现任何违例' : `出现的是 ${kinds}`;
    }
    case 'not-a-promise':
      return isEnglish
        ? `"${because.found}" is none of these: ${because.promises.join(', ')}`
        : `“${because.found}” 不在备选之列：${because.promises.join('、')}`;
    case 'kept-by-original':
      return isEnglish ? 'the original lock keeps it' : '原来的锁遵守这个承诺';
    case 'test-changed':
      return isEnglish
        ? 'restore them, or run "npx lab exercise reset": only the code under test may change'
        : '请改回去，或运行 npx lab exercise reset：只允许修改被测代码';
    case 'undecided':
      return isEnglish ? `not decided: ${because.message}` : `无法判定：${because.message}`;
  }
}

const promiseInChinese = (promise: Capability): string =>
  PROMISES_IN_CHINESE[promise] ?? CAPABILITIES[promise];
