import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { isFree, ReservedPorts } from '../../libs/stack/src/ports';

describe('ports of two stacks on one machine', () => {
  const one = new ReservedPorts();
  const other = new ReservedPorts();
  afterEach(() => {
    one.giveAllBack();
    other.giveAllBack();
  });

  it('a port without a listener is reserved by one of them only, until that one gives it back', async () => {
    const port = await one.reserve();
    expect(await isFree(port)).toBe(false);
    expect(await other.reserve(port)).not.toBe(port);
    one.giveBack(port);
    expect(await isFree(port)).toBe(true);
    expect(await other.reserve(port)).toBe(port);
  });

  it('the cluster bus port of a reserved port is reserved as well', async () => {
    const bus = (await one.reserve('with bus')) + 10_000;
    expect(await other.reserve(bus)).not.toBe(bus);
    one.giveAllBack();
    expect(await other.reserve(bus)).toBe(bus);
  });

  it('a port with a listener is not reserved', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await one.reserve(port)).not.toBe(port);
    server.close();
    await once(server, 'close');
    expect(await one.reserve(port)).toBe(port);
  });
});
