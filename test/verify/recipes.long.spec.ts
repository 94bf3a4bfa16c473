import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exploreRecipe } from '../../apps/lab/src/commands/libraries';
import { printLibraries, type ExploredLibrary } from '../../apps/lab/src/print/libraries';
import { loadOwn, openOwnFiles } from './own-files';

const { explorer, folder } = openOwnFiles(__filename);

const LIMITS = { max: 10, budget: 0 };

/** Explores a lock whose `acquire` has this body, as a recipe. */
function recipe(name: string, acquire: string): Promise<ExploredLibrary> {
  const file = join(folder, `${name}.js`);
  writeFileSync(
    file,
    `exports.createLock = ({ redis }) => ({
      async acquire(resource, { leaseMs }) { ${acquire} },
      release: (resource) => redis.del(resource),
    });`,
  );
  const about = { package: name, options: 'defaults', text: '', issues: [] };
  return exploreRecipe(explorer(), { name, path: file, about, version: '1.0.0' }, loadOwn(file), LIMITS, {
    signal: new AbortController().signal,
  });
}

test('a recipe that cannot be explored has the reason in its row, and the others have their results', async () => {
  const refused = await recipe('never', 'await new Promise(() => undefined);');
  const explored = await recipe(
    'tries-once',
    "return (await redis.set(resource, '1', 'PX', leaseMs, 'NX')) === 'OK' ? resource : undefined;",
  );
  expect([refused.notExplored, refused.promises]).toEqual([
    expect.stringMatching(/an actor runs without a step/),
    [],
  ]);
  expect([explored.notExplored, explored.promises.length > 0]).toEqual([undefined, true]);
  const rows = printLibraries([refused, explored]);
  expect(rows).toMatch(/never +\?/);
  expect(rows.replaceAll(/\s+/g, ' ')).toMatch(/not explored: a/);
  expect(rows).toMatch(/tries-once +[✓✗?]/);
});
