import { eventually, expectProblem, openShop } from './support';

const shop = openShop('reconciler-timer', {
  environment: { ORDER_RECONCILE_EVERY_MS: '200', ORDER_RECONCILE_AFTER_MS: '300' },
});

const settlements = async (sku: string): Promise<string[]> =>
  (await shop().history(sku)).flatMap((line) => (line.type === 'settled' ? [line.outcome] : []));

test.each([
  ['taken', 'order:before(INSERT#2)=kill', 'completed', { stock: 4, movements: 1, orders: 1 }],
  ['not taken', 'before(COMMIT)=kill', 'given-up', { stock: 5, movements: 0, orders: 0 }],
] as const)(
  'an order whose stock was %s when its replica died is settled once by the timer, without a retry',
  async (_, fault, outcome, rows) => {
    const sku = await shop().product(5);
    expectProblem(await shop().order({ sku, fault }), 502, 'OUTCOME_UNKNOWN');
    await eventually('the order is settled', async () => (await settlements(sku)).length > 0);
    await shop().stack.ready(); // both replicas run the timer
    expect({
      stock: await shop().stock(sku),
      movements: (await shop().movements(sku)).length,
      orders: (await shop().orders(sku)).length,
    }).toEqual(rows);
    expect(await settlements(sku)).toEqual([outcome]);
  },
);
