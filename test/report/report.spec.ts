import { judgeLoad } from '#lab/verdict';
import { renderReport } from '../../load-tests/report';
import { collision, nothingHappened, killedHolder } from './runs';

const EXPECTED = { must: ['oversold', 'lost-update'], may: [] } as const;

const render = (evidence = collision(), more: Partial<Parameters<typeof renderReport>[0]> = {}): string =>
  renderReport({
    title: 'two buyers',
    verdict: judgeLoad(evidence, EXPECTED),
    evidence,
    options: { workMs: 5 },
    conditions: { node: process.versions.node, cpus: 2 },
    ...more,
  });

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

describe('the report of a load run', () => {
  it('is well-formed', () => {
    expect(unbalanced(render())).toEqual([]);
    expect(unbalanced(render(killedHolder()))).toEqual([]);
  });

  it('says the verdict, whether it was expected, and why', () => {
    const page = render();
    expect(page).toContain('violated: oversold, lost-update');
    expect(page).toContain('As expected');
    expect(page).toContain('2 units sold of 1');
    expect(render(killedHolder())).toContain('Not as expected');
  });

  it('names the requests and replicas that sold the same remaining value', () => {
    expect(render()).toMatch(
      /was sold.*<code>a<\/code> on inventory-1 and by <code>b<\/code> on inventory-2/s,
    );
  });

  it('marks the fault, the dead replica, and the lock that outlived its holder', () => {
    const page = render(killedHolder());
    expect(page).toContain('after(SET)=kill fired on inventory-1 in request a');
    expect(page).toContain('inventory-1 was dead for 100 ms');
    expect(page).toMatch(/<rect class="lingering" x="[\d.]+" width="[1-9]/);
  });

  it('escapes whatever came from outside', () => {
    const evil = '<script>alert(1)</script>"\'';
    const evidence = collision(evil);
    const page = render(evidence, { title: evil, options: { evil }, conditions: { evil } });
    expect(page).not.toContain('<script');
    expect(page).not.toContain(evil);
    expect(page).toContain('&lt;script&gt;');
    expect(unbalanced(page)).toEqual([]);
  });

  it('asks nothing of the network', () => {
    expect(render()).not.toMatch(/https?:|@import|<script|src=/);
  });

  it('draws no coordinate that is not a number', () => {
    for (const evidence of [collision(), killedHolder(), nothingHappened()])
      expect(render(evidence)).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('says what is missing when nothing was recorded', () => {
    const page = render(nothingHappened());
    expect(page).toContain('Nothing was sold.');
    expect(page).toContain('There is no history of this run');
  });

  it('numbers the sales when there is no history to time them', () => {
    expect(render({ ...collision(), history: [] })).toContain('in the order of their inserts');
  });
});
