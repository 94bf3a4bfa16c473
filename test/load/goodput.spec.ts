import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { offerOrders } from '../../load-tests/bench/goodput';

/** Answers to the orders, in turn; undefined: the connection is closed. */
const ANSWERS: readonly (readonly [status: number, body: object] | undefined)[] = [
  [201, { id: 'order' }],
  [503, { code: 'OVERLOADED' }],
  [503, { code: 'DEPENDENCY.DOWN' }],
  [502, { code: 'OUTCOME_UNKNOWN' }],
  [500, {}],
  undefined,
];
const ROUNDS = 5;

test('an answer that is neither a sale nor a refusal is counted by its status and its code', async () => {
  let received = 0;
  const server = createServer((incoming, response) => {
    const answer = ANSWERS[received++ % ANSWERS.length];
    incoming.resume().on('end', () => {
      if (answer === undefined) response.destroy();
      else response.writeHead(answer[0]).end(JSON.stringify(answer[1]));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const orders = ROUNDS * ANSWERS.length;
    const offered = await offerOrders(`http://127.0.0.1:${port}`, {
      perSecond: orders,
      seconds: 1,
      skus: ['a'],
      query: '',
    });
    expect(offered.refusedShare).toBeCloseTo(ROUNDS / orders);
    expect(offered.others).toEqual({
      '503 DEPENDENCY.DOWN': ROUNDS,
      '502 OUTCOME_UNKNOWN': ROUNDS,
      '500': ROUNDS,
      'no answer': ROUNDS,
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
