// The graph of rooms (apps, libraries, load tests) in ARCHITECTURE.md, computed from the import statements.
//   node test/docs/room-graph.mjs           prints the Mermaid block
//   node test/docs/room-graph.mjs --write   writes it into ARCHITECTURE.md
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const FLOORS = ['apps', 'load-tests', 'libs'];

const roomOf = (path) => path.split('/').slice(0, 2).join('/');

function* sources(folder) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = posix.join(folder, entry.name);
    if (entry.name === 'node_modules') continue; // a room's own packages, as in libs/libraries
    if (entry.isDirectory()) yield* sources(path);
    else if (path.endsWith('.ts') && !path.endsWith('.spec.ts')) yield path;
  }
}

function target(file, specifier) {
  if (specifier.startsWith('#lab/')) return `libs/${specifier.split('/')[1]}`;
  if (specifier.startsWith('#load-tests/')) return `load-tests/${specifier.split('/')[1]}`;
  if (specifier.startsWith('.')) return roomOf(posix.join(posix.dirname(file), specifier));
  return undefined;
}

/** Each room with the rooms that it imports. */
function imports() {
  const graph = new Map();
  for (const file of FLOORS.flatMap((floor) => [...sources(floor)])) {
    const room = roomOf(file);
    if (!graph.has(room)) graph.set(room, new Set());
    for (const [, specifier] of readFileSync(join(root, file), 'utf8').matchAll(
      /(?:from|import\() ?'([^']+)'/g,
    )) {
      const other = target(file, specifier);
      if (other !== undefined && other !== room) graph.get(room).add(other);
    }
  }
  return graph;
}

/** Whether `to` can be reached from `from` by at least two arrows. */
function isReachedByOthers(graph, from, to) {
  const seen = new Set();
  const waiting = [...graph.get(from)].filter((next) => next !== to);
  for (let room = waiting.pop(); room !== undefined; room = waiting.pop()) {
    if (seen.has(room)) continue;
    seen.add(room);
    const next = graph.get(room) ?? [];
    if ([...next].includes(to)) return true;
    waiting.push(...next);
  }
  return false;
}

const id = (room) => room.replace(/\W/g, '_');

function mermaid() {
  const graph = imports();
  const rooms = [...graph.keys()].sort();
  const lines = ['graph TD'];
  for (const floor of FLOORS) {
    lines.push(`  subgraph ${id(floor)}["${floor}"]`);
    for (const room of rooms.filter((one) => one.startsWith(`${floor}/`)))
      lines.push(`    ${id(room)}["${room}"]`);
    lines.push('  end');
  }
  for (const room of rooms)
    for (const other of [...graph.get(room)].sort())
      if (!isReachedByOthers(graph, room, other)) lines.push(`  ${id(room)} --> ${id(other)}`);
  return lines.join('\n');
}

const block = `\`\`\`mermaid\n${mermaid()}\n\`\`\``;
if (process.argv.includes('--write')) {
  const page = join(root, 'ARCHITECTURE.md');
  writeFileSync(
    page,
    readFileSync(page, 'utf8').replace(/```mermaid\n[^]*?\n```/, () => block),
  );
} else {
  process.stdout.write(`${block}\n`);
}
