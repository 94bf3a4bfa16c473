import type { networkInterfaces } from 'node:os';
import { joinUrls } from '../../apps/console/src/classroom/addresses';

type Interfaces = ReturnType<typeof networkInterfaces>;

const one = (address: string, { internal = false, family = 'IPv4' } = {}) =>
  [{ address, family, internal, netmask: '', mac: '', cidr: null }] as Interfaces[string];

test('all addresses that other machines may reach are shown, those of a bridge last', () => {
  const interfaces: Interfaces = {
    lo: one('127.0.0.1', { internal: true }),
    docker0: one('172.17.0.1'),
    eth0: one('169.254.3.4'),
    wlan0: one('192.168.1.20'),
    eth1: one('10.0.0.7'),
    wlan1: one('fe80::1', { family: 'IPv6' }),
  };
  expect(joinUrls(8082, interfaces)).toEqual([
    'http://192.168.1.20:8082',
    'http://10.0.0.7:8082',
    'http://172.17.0.1:8082',
  ]);
});

test('without a network the class can still be tried on this machine', () => {
  expect(joinUrls('8082', { lo: one('127.0.0.1', { internal: true }) })).toEqual(['http://127.0.0.1:8082']);
});
