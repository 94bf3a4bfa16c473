import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeptExplorations } from '../../apps/console/src/explorations/kept-explorations';
import type { ExplorationView } from '../../apps/console/src/explorations/schemas';

let proofFolder: string;
let kept: KeptExplorations;
beforeEach(() => {
  proofFolder = mkdtempSync(join(tmpdir(), 'proofs-'));
  kept = new KeptExplorations({ proofFolder, labFolder: '', scheduleFolder: '' });
});
afterEach(() => {
  rmSync(proofFolder, { recursive: true });
});

const idOf = (n: number): string => n.toString(16).padStart(12, '0');

const exploration = (n: number): ExplorationView => ({
  job: {
    id: idOf(n),
    kind: 'exploration',
    state: 'done',
    ahead: 0,
    progress: { text: '', done: 1 },
    elapsedMs: 1,
  },
  strategy: 'for-update',
  actors: '12',
  stock: 1,
  faults: '',
});

test('a console finds the explorations that an earlier console has kept', () => {
  kept.keep(exploration(1));
  const other = new KeptExplorations({ proofFolder, labFolder: '', scheduleFolder: '' });
  expect(other.find(idOf(1))).toEqual(exploration(1));
  expect(other.find(idOf(2))).toBeUndefined();
});

test('the console does not accept a kept exploration when the code of its strategy has changed, or its file cannot be read', () => {
  kept.keep(exploration(1));
  const file = join(proofFolder, `${idOf(1)}.json`);
  const { view } = JSON.parse(readFileSync(file, 'utf8')) as { view: unknown };
  writeFileSync(file, JSON.stringify({ code: 'ffffff', view }));
  expect(kept.find(idOf(1))).toBeUndefined();
  writeFileSync(file, '{"code":');
  expect(kept.find(idOf(1))).toBeUndefined();
});

test('the console keeps the newest 300 explorations', () => {
  for (let n = 0; n < 302; n++) {
    kept.keep(exploration(n));
    utimesSync(join(proofFolder, `${idOf(n)}.json`), n, n);
  }
  kept.keep(exploration(302));
  expect(readdirSync(proofFolder)).toHaveLength(300);
  expect(kept.find(idOf(2))).toBeUndefined();
  expect(kept.find(idOf(302))).toEqual(exploration(302));
});
