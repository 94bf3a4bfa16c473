import { judgeDrill, judgeLoad, type DrillEvidence, type Language } from '#lab/verdict';
import { renderDrill, renderReport, type Report } from '../../load-tests/report';
import { collision, emptyRun, killedHolder, lateReply } from './runs';

const EXPECTED = { must: ['oversold', 'lost-update'], may: [] } as const;

type Run = Parameters<typeof renderReport>[0];

const report = (evidence = collision(), more: Partial<Run> = {}): Report =>
  renderReport({
    title: 'two buyers',
    verdict: judgeLoad(evidence, EXPECTED),
    evidence,
    options: { workMs: 5 },
    conditions: { node: process.versions.node, cpus: 2 },
    ...more,
  });

const render = (evidence = collision(), more: Partial<Run> = {}): string => report(evidence, more).page;

/** Names of elements that were opened and not closed, or closed and not opened. */
function unbalanced(html: string): string[] {
  const VOID = new Set(['meta', 'link', 'br', '!doctype']);
  const open: string[] = [];
  const wrong: string[] = [];
  for (const [, slash, name = '', rest = ''] of html.matchAll(/<(\/?)([a-z!][a-z0-9]*)([^>]*)>/gi)) {
    if (VOID.has(name.toLowerCase()) || rest.endsWith('/')) continue;
    if (slash === '') open.push(name);
    else if (open.at(-1) === name) open.pop();
    else wrong.push(name);
  }
  return [...open, ...wrong];
}

/** The dots of sales that are not at a step of the line of the stock, in pixels. */
function offTheLine(page: string): string[] {
  const pixel = (text = ''): string => Number(text).toFixed(1);
  const [, line = ''] = /<path class="truth" d="M[\d.]+,[\d.]+((?:H[\d.]+V[\d.]+)+)"/.exec(page) ?? [];
  const steps = new Set(
    Array.from(line.matchAll(/H([\d.]+)V([\d.]+)/g), ([, x, y]) => `${pixel(x)},${pixel(y)}`),
  );
  const dots = page.matchAll(/<circle class="r\d" cx="([\d.]+)" cy="([\d.]+)" r="3.4"/g);
  return Array.from(dots, ([, x, y]) => `${pixel(x)},${pixel(y)}`).filter((dot) => !steps.has(dot));
}

describe('the report of a load run', () => {
  it('is well-formed', () => {
    expect(unbalanced(render())).toEqual([]);
    expect(unbalanced(render(killedHolder()))).toEqual([]);
  });

  it('shows the verdict, whether it was expected, and why', () => {
    const page = render();
    expect(page).toContain('DATA WRONG');
    expect(page).toContain('As expected');
    expect(page).toContain('1 unit oversold');
    expect(render(killedHolder())).toContain('Not as expected');
  });

  it('has the number of unexpected answers beside the verdict', () => {
    const unexpected = '1 of 2 answers was unexpected: 502 OUTCOME_UNKNOWN';
    expect(render(killedHolder(), { unexpected })).toMatch(
      new RegExp(`<header>.*${unexpected}.*</header>`, 's'),
    );
    expect(render()).not.toContain('unexpected');
  });

  it('says with the reasons why a requested fault did not fire', () => {
    const unfired =
      '1 request carried after(SETNX)=kill, and the answer was STOCK.SOLD_OUT. Increase --stock';
    expect(render(killedHolder(), { unfired })).toMatch(
      /<header>.*<li>1 request carried after\(SETNX\)=kill, and .*<\/li><\/ul><\/header>/s,
    );
  });

  it('speaks of the debits of an account, not of sales', () => {
    const { history, ...rows } = collision();
    const onAccount = history.map((line) => ('app' in line ? { ...line, app: 'account' } : line));
    const page = render({ ...rows, history: onAccount });
    expect(page).toContain('2 of 1 debited');
    expect(page).toContain('Balance over time');
    const text = page.replace(/<style>.*?<\/style>|<[^>]+>/gs, ' ');
    expect(text.match(/\b(sold|sales?|stock|oversold: )\b/gi)).toEqual(null);
  });

  it('names the requests and replicas that sold the same remaining value', () => {
    expect(render()).toMatch(
      /was sold.*<code>a<\/code> on inventory-1 and by <code>b<\/code> on inventory-2/s,
    );
  });

  it('draws the sales of an exact run on the line, also when a reply was recorded late', () => {
    expect(offTheLine(render(lateReply()))).toEqual([]);
    expect(offTheLine(render(collision()))).toHaveLength(1);
  });

  it('marks the fault, the dead replica, and the lock that outlived its holder', () => {
    const page = render(killedHolder());
    expect(page).toContain('after(SET)=kill fired on inventory-1 in request a');
    expect(page).toContain('inventory-1 was dead for 100 ms');
    expect(page).toMatch(/<rect class="lingering" x="[\d.]+" width="[1-9]/);
  });

  it('scrolls its drawings instead of shrinking them, and breaks only long codes', () => {
    const page = render();
    expect(page.match(/<div class="scroll" tabindex="0"><svg /g)?.length).toBe(
      page.match(/<svg [^>]*role="img"/g)?.length,
    );
    expect(page).toContain('<code>APPLIED</code>');
    expect(render(collision('a'.repeat(30)))).toContain(`<code class="long">${'a'.repeat(30)}</code>`);
  });

  it('escapes all external input', () => {
    const malicious = '<script>alert(1)</script>"\'';
    const evidence = collision(malicious);
    const page = render(evidence, { title: malicious, options: { malicious }, conditions: { malicious } });
    expect(page).not.toContain('<script');
    expect(page).not.toContain(malicious);
    expect(page).toContain('&lt;script&gt;');
    expect(unbalanced(page)).toEqual([]);
  });

  it('loads nothing from the network', () => {
    expect(render()).not.toMatch(/https?:|@import|<script|src=/);
  });

  it('draws only numeric coordinates', () => {
    for (const evidence of [collision(), killedHolder(), emptyRun()])
      expect(render(evidence)).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('names the missing evidence when nothing was recorded', () => {
    const page = render(emptyRun());
    expect(page).toContain('Nothing was sold.');
    expect(page).toContain('There is no history of this run');
  });

  it('numbers the sales when there is no history with their times', () => {
    expect(render({ ...collision(), history: [] })).toContain('in the order of their inserts');
  });
});

describe('the Chinese report of a load run', () => {
  const latency = { p50: 1, p90: 2, p99: 3, max: 4, requestsPerSecond: 5 };
  const openLoop = {
    ...latency,
    uncorrected: latency,
    offered: { askedPerSecond: 5, perSecond: 3, asAsked: false } as never,
  };
  const inChinese = (evidence: Parameters<typeof report>[0], more: Partial<Run> = {}): Report =>
    report(evidence, { title: '', language: 'zh', latency: openLoop, conditions: {}, options: {}, ...more });
  /** One finding of each kind. */
  const allFindings = (): Run['verdict'] => {
    const pair = { key: 'K', by: 'R1', owner: 'R2' };
    const refusal = { request: 'R1', replica: 'I-1', code: 'LOCK.FENCED', statement: null };
    return {
      ...judgeLoad(killedHolder(), EXPECTED),
      overlaps: [{ first: 'R1', second: 'R2', key: 'K' }] as never,
      foreignReleases: [pair],
      foreignRenewals: [pair],
      stuckLocks: [{ key: 'K', value: null }] as never,
      orphans: ['R1'],
      refusals: [refusal, { ...refusal, statement: 'UPDATE' }],
    };
  };
  /** What a Chinese text keeps: names of code, of strategies, replicas, requests and percentiles, units, and the license. */
  const NAMES =
    /<style>.*?<\/style>|<code.*?<\/code>|<[^>]+>|Oversell Lab, CC BY|inventory-\d|after\(SET\)=kill|verdict\.json|balance|none|expiring|\bms\b|（[a-z-]+）|\bp\d\d\b|\b[abp]\b|\b[A-Z][\w.-]*/gs;

  it.each([
    ['two sales of one unit', inChinese(collision())],
    ['a killed holder', inChinese(killedHolder())],
    ['nothing recorded', inChinese(emptyRun())],
    ['no times', inChinese({ ...collision(), history: [] })],
    ['every finding', inChinese(killedHolder(), { verdict: allFindings() })],
  ])('has no English sentence: %s', (_name, { page, images }) => {
    for (const text of [page, ...images.values()]) {
      expect(text).toMatch(/\p{Script=Han}/u);
      expect(text.replaceAll(NAMES, ' ').match(/[a-z]+/gi)).toEqual(null);
    }
    expect(page).toContain('<html lang="zh-CN">');
    expect(unbalanced(page)).toEqual([]);
  });

  it('has the verdict, its reasons, and how to read the plots', () => {
    const { page } = inChinese(collision());
    for (const text of ['数据错误', '超卖 1 件', '与方案说明一致', '库存随时间的变化', '各种应答的延迟'])
      expect(page).toContain(text);
    expect(inChinese(killedHolder()).page).toContain('after(SET)=kill 在 inventory-1 上的请求 a 中触发');
  });
});

describe('the images of a load run', () => {
  const malicious = '<script>alert(1)</script>';
  const { images } = report(collision(malicious), { title: malicious });

  it('are the plots that have data', () => {
    expect([...images.keys()]).toEqual(['stock', 'holders', 'outcomes', 'latency']);
    expect([...report(emptyRun()).images.keys()]).toEqual([]);
  });

  it.each([...images])(
    '%s is one well-formed drawing with the headline, and needs nothing else',
    (_name, image) => {
      expect(image).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 1000 [\d.]+"/);
      expect(unbalanced(image)).toEqual([]);
      expect(image).toContain('DATA WRONG');
      expect(image).toContain('&lt;script&gt;');
      expect(image).not.toMatch(/<script|var\(|@import|NaN|undefined|url\((?!#)/);
    },
  );
});

describe('the report of a drill', () => {
  const malicious = '<script>alert(1)</script>';
  const evidence: DrillEvidence = {
    strategy: 'token-lua',
    initial: 1,
    final: 0,
    movements: ['A', 'B'].map((request) => ({
      balance: 'item',
      segment: null,
      request,
      delta: -1,
      before: 1,
      after: 0,
    })),
    buyers: [
      { name: 'A', code: 'APPLIED', text: malicious },
      { name: 'B', code: 'APPLIED', text: 'sold one: 1 → 0' },
    ],
    facts: [{ text: 'the lock is gone', holds: true }],
    figures: { 'the lock is held for nobody, ms': 700 },
    timeline: [
      { at: 5_000_000, who: 'A', what: 'SET lock → "OK"' },
      { at: 5_012_300, who: 'redis', what: `killed ${malicious}` },
    ],
  };
  const pageOf = (seen: DrillEvidence, language: Language = 'en'): string =>
    renderDrill({
      name: 'restart/none',
      shows: 'two holders',
      certainBy: 'A is held',
      evidence: seen,
      verdict: judgeDrill(seen, EXPECTED),
      language,
      other: 'other.html',
    });
  const page = (facts = evidence.facts, language: Language = 'en'): string =>
    pageOf({ ...evidence, facts }, language);

  it('is well-formed and escapes all external input', () => {
    expect(unbalanced(page())).toEqual([]);
    expect(page()).not.toContain('<script>');
  });

  it('has the verdict, the answers, the facts, the figures, and a lane for each actor', () => {
    const html = page();
    expect(html).toContain('DATA WRONG');
    expect(html).toContain('✓ the lock is gone');
    expect(html).toMatch(/the lock is held for nobody, ms<\/dt><dd>700/);
    expect(html).toMatch(/class="name"[^>]*>A<\/text>.*class="name"[^>]*>redis<\/text>.*>12\.3<\/text>/s);
  });

  it('is in Chinese, except the evidence, which the caller translates, and links to the other language', () => {
    const html = page(evidence.facts, 'zh');
    expect(html).toContain('<title>数据错误：restart/none</title>');
    expect(unbalanced(html)).toEqual([]);
    expect(html).toContain('<html lang="zh-CN">');
    expect(html).toContain('数据错误');
    expect(html).toContain('<li>库存 1，卖出 2：');
    expect(html).toContain('库存 1，卖出 2');
    expect(html).toContain('<a href="other.html" lang="en"');
    expect(html).not.toMatch(/DATA WRONG|Answers to the buyers|It is certain/);
  });

  it('shortens an event to the room that is left of the page; a Chinese character is wider than a letter', () => {
    const shown = (letter: string): number => {
      const what = letter.repeat(200);
      const html = pageOf({ ...evidence, timeline: [{ at: 0, who: 'drill', what }] });
      return new RegExp(`>(${letter}+)…</text>`).exec(html)?.[1]?.length ?? NaN;
    };
    expect(shown('x')).toBe(123);
    expect(shown('锁')).toBe(73);
  });

  it('names a fact that does not hold', () => {
    const html = page([{ text: 'the lock is gone', holds: false }]);
    expect(html).toContain('✗ not the lock is gone');
    expect(html).toContain('<h1 class="unknown">');
  });
});
