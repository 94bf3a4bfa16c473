import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { read } from './pages';

test('the graph of rooms is that of the import statements: node test/docs/room-graph.mjs --write', () => {
  const graph = execFileSync(process.execPath, [resolve('test/docs/room-graph.mjs')], { encoding: 'utf8' });
  expect(/```mermaid\n[^]*?\n```/.exec(read('ARCHITECTURE.md'))?.[0]).toBe(graph.trimEnd());
});

test('every room has a paragraph', () => {
  const page = read('ARCHITECTURE.md');
  const rooms = [...page.matchAll(/\["((?:apps|libs|load-tests)\/\w+)"\]/g)].map(([, room = '']) => room);
  expect(rooms.length).toBeGreaterThan(15);
  expect(rooms.filter((room) => !page.includes(`**${room}**`))).toEqual([]);
});
