import { openDrills } from './support';

/** A drill with its deciding facts, stated by a server or the kernel, and the outcomes of the buyers. */
type Row = readonly [drill: string, verdict: string, facts: readonly string[], buyers: object];

/** Opens the servers for a spec file, and defines a test for each drill. */
export function testDrills(needs: Parameters<typeof openDrills>[0], rows: readonly Row[]): void {
  const play = openDrills(needs);

  test.each(rows)('%s: %s', async (name, expected, facts, outcomes) => {
    const { evidence, verdict } = await play(name);
    expect(evidence.facts.filter(({ holds }) => !holds)).toEqual([]);
    expect(verdict).toMatchObject({ verdict: expected, asExpected: true });
    expect(evidence.facts).toEqual(expect.arrayContaining(facts.map((text) => ({ text, holds: true }))));
    expect(Object.fromEntries(evidence.buyers.map(({ name, code }) => [name, code]))).toEqual(outcomes);
  });
}
