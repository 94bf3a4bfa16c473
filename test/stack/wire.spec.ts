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

test('a cut wire resets its connections, and new ones until it is mended', async () => {
  const { client } = await through();
  const told = resetOf(client);
  faultProxy.cut();
  expect(await told).toBe('ECONNRESET');
  expect(await resetOf(connect(faultProxy.port, '127.0.0.1'))).toBe('ECONNRESET');
  faultProxy.mend();
  const { client: again, far } = await through();
  far.write('carried');
  expect(String(await once(again, 'data'))).toBe('carried');
});

const heard = (socket: Socket, event: 'close' | 'end'): Promise<void> =>
  new Promise((resolve) => {
    socket.once(event, () => {
      resolve();
    });
  });

async function someTurns(): Promise<void> {
  for (let i = 0; i < 10; i++) await turn();
}

test('a mended wire carries on where nothing was lost, and resets the connections that have a hole in them', async () => {
  const whole = await through();
  const torn = await through();
  faultProxy.swallow();
  torn.client.write('lost');
  const told = resetOf(torn.client);
  await eventually('it was swallowed', () => (faultProxy as unknown as { torn: Set<Socket> }).torn.size > 0);
  faultProxy.mend();
  expect(await told).toBe('ECONNRESET');
  whole.far.write('carried');
  expect(String(await once(whole.client, 'data'))).toBe('carried');
});

/** The TCP handles that libuv knows, those that Node has let go of without closing them among them. */
const tcpHandles = (): number =>
  (process.report.getReport() as unknown as { libuv: { type: string }[] }).libuv.filter(
    ({ type }) => type === 'tcp',
  ).length;

test('cut while its connections are being ended, it leaves no handle that a process would wait for at its exit', async () => {
  await someTurns();
  const before = tcpHandles();
  for (let i = 0; i < 20; i++) {
    const { client, far } = await through();
    const closed = Promise.all([heard(client, 'close'), heard(far, 'close')]);
    const sockets = [...(faultProxy as unknown as { sockets: Set<Socket> }).sockets];
    far.end();
    await Promise.race(sockets.map((socket) => heard(socket, 'end')));
    faultProxy.cut();
    await closed;
    faultProxy.mend();
  }
  await someTurns();
  expect(tcpHandles()).toBe(before);
});
