import { FaultProxy } from '#lab/stack';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { eventually } from '../harness/eventually';

let server: Server;
let faultProxy: FaultProxy;

beforeEach(async () => {
  server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  faultProxy = await FaultProxy.to('127.0.0.1', (server.address() as AddressInfo).port);
});
afterEach(async () => {
  await faultProxy.close();
  server.close();
});

async function through(): Promise<{ client: Socket; far: Socket }> {
  const arrived = once(server, 'connection') as Promise<[Socket]>;
  const client = connect(faultProxy.port, '127.0.0.1');
  const [far] = await arrived;
  for (const socket of [client, far]) socket.on('error', () => undefined);
  return { client, far };
}

const resetOf = async (socket: Socket): Promise<unknown> => {
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
  return error.code;
};

test('a cut proxy resets its connections, and new ones until it is mended', async () => {
  const { client } = await through();
  const reset = resetOf(client);
  faultProxy.cut();
  expect(await reset).toBe('ECONNRESET');
  expect(await resetOf(connect(faultProxy.port, '127.0.0.1'))).toBe('ECONNRESET');
  faultProxy.mend();
  const { client: again, far } = await through();
  far.write('carried');
  expect(String(await once(again, 'data'))).toBe('carried');
});

const eventOf = (socket: Socket, event: 'close' | 'end'): Promise<void> =>
  new Promise((resolve) => {
    socket.once(event, () => {
      resolve();
    });
  });

async function someTurns(): Promise<void> {
  for (let i = 0; i < 10; i++) await turn();
}

test('a mended proxy keeps connections without lost data and resets those with a gap', async () => {
  const intact = await through();
  const torn = await through();
  faultProxy.swallow();
  torn.client.write('lost');
  const reset = resetOf(torn.client);
  await eventually(
    'the data was swallowed',
    () => (faultProxy as unknown as { torn: Set<Socket> }).torn.size > 0,
  );
  faultProxy.mend();
  expect(await reset).toBe('ECONNRESET');
  intact.far.write('carried');
  expect(String(await once(intact.client, 'data'))).toBe('carried');
});

/** The TCP handles that libuv knows, including those that Node has dropped without closing. */
const tcpHandles = (): number =>
  (process.report.getReport() as unknown as { libuv: { type: string }[] }).libuv.filter(
    ({ type }) => type === 'tcp',
  ).length;

test('a cut during the end of its connections leaves no handle that would delay the exit of a process', async () => {
  await someTurns();
  const before = tcpHandles();
  for (let i = 0; i < 20; i++) {
    const { client, far } = await through();
    const closed = Promise.all([eventOf(client, 'close'), eventOf(far, 'close')]);
    const sockets = [...(faultProxy as unknown as { sockets: Set<Socket> }).sockets];
    far.end();
    await Promise.race(sockets.map((socket) => eventOf(socket, 'end')));
    faultProxy.cut();
    await closed;
    faultProxy.mend();
  }
  await someTurns();
  expect(tcpHandles()).toBe(before);
});
