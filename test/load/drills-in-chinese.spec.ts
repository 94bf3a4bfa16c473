import { judgeDrill } from '#lab/verdict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import ts from 'typescript';
import { DRILLS, drillInChinese, runInChinese } from '../../load-tests/drills';

const FOLDER = join(__dirname, '../../load-tests/drills');

/** The calls that record a text of a report, and which of their arguments is the text. */
const CALLS: Readonly<Record<string, number>> = { fact: 0, inTime: 1, figure: 0, note: 1 };

/** Samples of varying parts of which only these words are translated. */
const SAMPLES: Readonly<Record<string, string>> = {
  role: 'leader',
  failure: 'killed',
  "count(replicas.length, 'replica')": '2 replicas',
  "count(synced, 'byte')": '2 bytes',
};

/** The texts that an expression may be, with a sample for each varying part. */
function textsOf(node: ts.Expression): readonly string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isConditionalExpression(node)) return [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)];
  if (ts.isBinaryExpression(node)) return [...textsOf(node.left), ...textsOf(node.right)];
  if (!ts.isTemplateExpression(node)) return [];
  const parts = node.templateSpans.map(
    ({ expression, literal }) => `${SAMPLES[expression.getText()] ?? '1'}${literal.text}`,
  );
  return [`${node.head.text}${parts.join('')}`];
}

/** The texts that this file records for reports. A text that is not a literal is in them as its source, e.g. `text`. */
function recordedIn(file: string): readonly string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    if (!ts.isCallExpression(node)) return;
    const { expression: callee, arguments: args } = node;
    const name = ts.isPropertyAccessExpression(callee) ? callee.name.text : callee.getText();
    const text = args[CALLS[name] ?? NaN];
    if (text === undefined) return;
    const texts = textsOf(text);
    found.push(...(texts.length === 0 ? [text.getText()] : texts));
    const value = name === 'figure' ? args[1] : undefined;
    if (value !== undefined) found.push(...textsOf(value));
  };
  visit(source);
  return found;
}

const isUntranslated = (english: string): boolean =>
  /[a-z]/i.test(english) && !/\p{Script=Han}/u.test(drillInChinese(english) ?? '');

test('what each drill shows, and why it is certain, is translated', () => {
  const sentences = DRILLS.flatMap(({ shows, certainBy }) => [shows, certainBy]);
  expect(sentences.filter(isUntranslated)).toEqual([]);
});

test('each fact, each figure and each event in the source of the drills is translated', () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' });
  const texts = files
    .filter((file) => file.endsWith('.ts') && basename(file) !== 'in-time.ts') // it records the text of its caller
    .flatMap((file) => recordedIn(join(FOLDER, file)));
  expect(texts).toContain('A holds the lock');
  expect(texts).toContain('the leader is killed');
  expect(texts.filter(isUntranslated)).toEqual([]);
});

test('varying parts are kept, and translated if they are texts of a drill', () => {
  expect(drillInChinese('replica-1 is a primary')).toBe('replica-1 是主节点');
  expect(drillInChinese('the follower is stopped')).toBe('follower 被暂停');
  expect(drillInChinese('NOT TRUE: the lock is gone')).toBe('前提不成立：锁已经不在');
  expect(drillInChinese('APPLIED: sold one: 1 → 0')).toBe('APPLIED：卖出一件：1 → 0');
});

test('steps and unknown texts are not translated', () => {
  expect(drillInChinese('GET lock:{item} → null')).toBeUndefined();
  expect(drillInChinese('the lock is round')).toBeUndefined();
});

test('a Chinese report has the facts, figures, outcomes and events of the run in Chinese', () => {
  const [drill] = DRILLS;
  if (drill === undefined) throw new Error('there are no drills');
  const evidence = {
    strategy: 'setnx',
    initial: 1,
    final: 0,
    movements: [],
    buyers: [{ name: 'A', code: 'APPLIED', text: 'sold one: 1 → 0' }],
    facts: [{ text: 'the lock is gone', holds: false }],
    figures: { 'fence of B': 'none', 'tokens lost': 2 },
    timeline: [
      { at: 1, who: 'network', what: 'the connection between A and Redis fails' },
      { at: 2, who: 'A', what: 'SET lock → "OK"' },
    ],
  };
  const run = { drill, evidence, verdict: judgeDrill(evidence, { must: [], may: [] }) };
  const chinese = runInChinese(run);
  expect(chinese.evidence).toMatchObject({
    buyers: [{ name: 'A', code: 'APPLIED', text: '卖出一件：1 → 0' }],
    facts: [{ text: '锁已经不在', holds: false }],
    figures: { 'B 的栅栏令牌': '无', 丢失的令牌数: 2 },
    timeline: [
      { who: '网络', what: 'A 与 Redis 之间的连接出故障' },
      { who: 'A', what: 'SET lock → "OK"' },
    ],
  });
  expect(chinese.verdict.reasons).toContainEqual({ code: 'fact-does-not-hold', fact: '锁已经不在' });
  expect(run.evidence.facts).toEqual([{ text: 'the lock is gone', holds: false }]);
});
