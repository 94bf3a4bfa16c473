import { dueTimes, offer, type Arrival, type OpenLoop } from '#load-tests/arrivals';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const loop: OpenLoop = { perSecond: 100, seconds: 1, arrivals: 'poisson', seed: 7, inFlight: 1000 };

describe('the times of arrival', () => {
  test('are the same for the same seed, and others for another', () => {
    expect(dueTimes(loop)).toEqual(dueTimes({ ...loop }));
    expect(dueTimes({ ...loop, seed: 8 })).not.toEqual(dueTimes(loop));
  });

  test.each(['poisson', 'constant'] as const)('are as many as the rate says, in order: %s', (arrivals) => {
    const times = dueTimes({ ...loop, perSecond: 250, seconds: 4, arrivals });
    expect(times.length).toBe(1000);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.every((at) => at >= 0 && at < 4000)).toBe(true);
  });

  test('are equally spaced when they are constant', () => {
    expect(dueTimes({ ...loop, perSecond: 4, arrivals: 'constant' })).toEqual([0, 250, 500, 750]);
  });

  test('have the gaps of a Poisson process: a share of 1/e is longer than the mean', () => {
    const times = dueTimes({ ...loop, seconds: 200 });
    const gaps = times.slice(1).map((at, i) => at - (times[i] ?? 0));
    const longer = gaps.filter((gap) => gap > 1000 / loop.perSecond).length / gaps.length;
    expect(longer).toBeCloseTo(1 / Math.E, 1);
  });
});

/** Runs an open loop against a server; `onRequest` answers. */
async function run(
  own: Partial<OpenLoop>,
  onRequest: (response: ServerResponse, number: number) => void,
  signal?: AbortSignal,
) {
  let received = 0;
  const server = createServer((incoming, response) => {
    incoming.resume().on('end', () => {
      onRequest(response, ++received);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const arrivals: Arrival[] = [];
    const offered = await offer(
      `http://127.0.0.1:${port}`,
      { ...loop, ...own },
      {
        signal,
        request: (number) => ({ path: `/${number}`, headers: {}, body: '' }),
        onEnd: (arrival) => {
          arrivals.push(arrival);
        },
      },
    );
    return { offered, received, arrivals: arrivals.toSorted((a, b) => a.number - b.number) };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('requests are sent whether or not earlier ones are answered', async () => {
  const open: ServerResponse[] = [];
  const { arrivals } = await run({}, (response) => {
    open.push(response);
    // a driver that waits for any answer would never send the last request
    if (open.length === 100) for (const one of open) one.end();
  });
  expect(arrivals.map(({ answer }) => answer?.status)).toEqual(Array.from({ length: 100 }, () => 200));
});

test('a request that had to wait for its turn is late, and its latency since its due time shows it', async () => {
  const PAUSE_MS = 400;
  let resumed = false;
  const held: ServerResponse[] = [];
  const { offered, arrivals } = await run({ arrivals: 'constant', inFlight: 2 }, (response, number) => {
    if (resumed) response.end();
    else held.push(response);
    if (number === 1)
      setTimeout(() => {
        resumed = true;
        for (const one of held) one.end();
      }, PAUSE_MS);
  });
  const third = arrivals[2];
  expect(third).toMatchObject({ number: 3, dueAt: 20 });
  expect((third?.sentAt ?? 0) - 20).toBeGreaterThan(PAUSE_MS / 2);
  for (const { dueAt, sentAt, endedAt } of arrivals) {
    expect(sentAt).toBeGreaterThanOrEqual(dueAt);
    expect(endedAt - dueAt).toBeGreaterThanOrEqual(endedAt - sentAt);
  }
  expect(offered.waited).toBeGreaterThan(0);
  expect(offered.lateMaxMs).toBeGreaterThan(PAUSE_MS / 2);
  expect(offered.asAsked).toBe(false); // the due times were missed, even if the rate was reached in the end
});

test('a rate that cannot be sent is not reported as offered', async () => {
  const { offered } = await run({ perSecond: 200, arrivals: 'constant', inFlight: 1 }, (response) => {
    setTimeout(() => response.end(), 20);
  });
  expect(offered.askedPerSecond).toBe(200);
  expect(offered.perSecond).toBeLessThan(60);
  expect(offered.asAsked).toBe(false);
});

test('a request without an answer is reported as such', async () => {
  const { arrivals } = await run({ seconds: 0.1 }, (response, number) => {
    if (number % 2 === 0) response.destroy();
    else response.end();
  });
  expect(arrivals.filter(({ answer }) => answer === undefined).length).toBe(5);
});

test('an aborted loop sends nothing more', async () => {
  const controller = new AbortController();
  const { received } = await run(
    { seconds: 600 },
    (_, number) => {
      if (number === 5) controller.abort();
    },
    controller.signal,
  );
  expect(received).toBeLessThan(100);
});
