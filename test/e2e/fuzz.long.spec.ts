import { labOf, openSubject, runFuzz } from '#load-tests/fuzz';
import { openShop } from './support';

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

const shop = openShop('fuzz', { replicas: { order: 2, inventory: 2, account: 2 } });

test('1,500 valid and malformed requests to every endpoint are all answered, and a refused one changes nothing', async () => {
  const { subject, close } = await openSubject(labOf(shop().stack));
  try {
    const run = await runFuzz(subject, { seed: 20261121, requests: 1500 });
    expect(run.findings).toEqual([]);
    expect(run.requests).toBe(1500);
    // the mix is right: many requests were refused, some succeeded
    expect(run.unchanged).toBeGreaterThan(600);
    expect(run.forbidden).toBeGreaterThan(150);
    const succeeded = [...run.tally].filter(([, answers]) => [...answers.keys()].some(isSuccess));
    expect(succeeded.length).toBeGreaterThan(30);
    const asked = new Set([...run.tally.keys()].map((row) => row.replace(/ @.*/, '')));
    expect([...asked].sort()).toEqual(subject.endpoints.map(({ name }) => name).sort());
  } finally {
    await close();
  }
}, 300_000);
