import {
  cellOf,
  explore,
  loadStrategy,
  planOf,
  Realm,
  reportCard,
  verify,
  WorkerPool,
  type Explorer,
  type PromiseResult,
  type Tally,
  type World,
} from '#lab/explore';
import { nameOf } from '#lab/own';
import type { Capability, Strategy } from '#lab/strategy';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWorld } from '../harness/servers';

interface OwnFiles {
  readonly world: () => World;
  /** Explores in this thread. */
  readonly explorer: () => Explorer;
  /** Removed when the spec ends. */
  readonly folder: string;
  /** Writes a file of the folder, and loads its strategy. */
  readonly ofFile: (name: string, text: string) => Strategy;
  /** Explores a strategy in a cell of the matrix, at most `max` schedules. */
  readonly tallyOf: (strategy: Strategy, cell: string, max: number) => Promise<Tally>;
  /** Explores what tests one promise, as `lab verify --only` does. */
  readonly promiseOf: (
    strategy: Strategy,
    promise: Capability,
    limits?: { readonly max: number; readonly enough: number },
  ) => Promise<PromiseResult | undefined>;
}

/** A world without optional servers for a spec file, and a folder in `parent` for files with locks. */
export function openOwnFiles(spec: string, parent = tmpdir()): OwnFiles {
  const folder = mkdtempSync(join(parent, 'own-files-'));
  let world: World;
  beforeAll(async () => {
    world = await openWorld(spec, []);
  });
  afterAll(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    world: () => world,
    explorer: () => WorkerPool.on(world),
    folder,
    ofFile: (name, text) => {
      const file = join(folder, name);
      writeFileSync(file, text);
      return loadOwn(file);
    },
    tallyOf: (strategy, cell, max) => explore(world, planOf(strategy, cellOf(cell)), { max }),
    promiseOf: async (strategy, promise, limits) => {
      const { cells, probe } = await verify(WorkerPool.on(world), strategy, 600_000, {
        signal: new AbortController().signal,
        promises: [promise],
        ...limits,
      });
      return reportCard(cells, [promise], probe)[0];
    },
  };
}

/** The strategy of a file, as `lab verify` loads it. */
export const loadOwn = (file: string): Strategy => loadStrategy(file, nameOf(file), new Realm(1));
