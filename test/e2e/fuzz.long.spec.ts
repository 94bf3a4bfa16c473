import { labOf, openSubject, runFuzz } from '#load-tests/fuzz';
import { openShop } from './support';

const shop = openShop('fuzz', { replicas: { order: 2, inventory: 2, account: 2 } });

test('500 valid and malformed requests to every endpoint are all answered, and a refused one changes nothing', async () => {
  const { subject, close } = await openSubject(labOf(shop().stack));
  try {
    const run = await runFuzz(subject, { seed: 20261121, requests: 500 });
    expect(run.findings).toEqual([]);
    expect(run.requests).toBe(500);
    // the mix is right: many requests were refused, some succeeded
    expect(run.unchanged).toBeGreaterThan(200);
    expect(run.forbidden).toBeGreaterThan(50);
    expect(run.tally.get('POST /orders @public')?.get(201)).toBeGreaterThan(0);
    const asked = new Set([...run.tally.keys()].map((row) => row.replace(/ @.*/, '')));
    expect([...asked].sort()).toEqual(subject.endpoints.map(({ name }) => name).sort());
  } finally {
    await close();
  }
}, 300_000);
