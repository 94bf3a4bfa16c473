import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(__dirname, '..', '..');
const example = join(root, 'examples', 'coupon');
const folder = mkdtempSync(join(tmpdir(), 'kit-packed-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const exec = promisify(execFile);
const run = async (program: string, args: readonly string[], cwd: string): Promise<string> => {
  const { stdout } = await exec(program, args, { cwd, maxBuffer: 1e8 });
  return stdout;
};

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

const bin = (name: string): string => join(root, 'node_modules', '.bin', name);

/** The tarball that npm would publish. */
let packed: Packed;
beforeAll(async () => {
  // not the build of `prepack`: other tests run from the same folder, which is built already
  await run(bin('tsc'), ['-p', 'tsconfig.kit.json'], root);
  const shown = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], root);
  const [made] = JSON.parse(shown.replace(/^[^[]*/, '')) as Packed[];
  if (made === undefined) throw new Error('npm pack made nothing');
  packed = made;
});

test('publint has no complaint', async () => {
  const shown = await run(bin('publint'), ['run', join(folder, packed.filename), '--strict'], folder);
  expect(shown).toMatch(/All good!/);
});

/** What are-the-types-wrong may say, and why it stays. */
const DELIBERATE: Readonly<Record<string, string>> = {
  'no-resolution':
    'resolution of "node10" does not read "exports"; the examples and docs use "nodenext" or a bundler',
};

test('are-the-types-wrong complains only about what is deliberate', async () => {
  const args = ['--no-definitely-typed', '--format', 'json', '--ignore-rules', ...Object.keys(DELIBERATE)];
  const shown = await run(bin('attw'), [join(folder, packed.filename), ...args], folder);
  const { problems } = JSON.parse(shown) as {
    problems: Record<string, readonly { kind: string; resolutionKind?: string }[]>;
  };
  expect(
    Object.values(problems)
      .flat()
      .map(({ kind, resolutionKind }) => `${kind} ${String(resolutionKind)}`),
  ).toEqual(['NoResolution node10']);
});

test('the tests of the example pass with the packed package, in a folder of their own', async () => {
  expect(packed.size).toBeLessThan(1_000_000);
  const paths = packed.files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining(['dist/libs/kit/src/index.js', 'dist/libs/kit/src/index.d.ts']),
  );
  expect(
    paths.filter((path) => !/^(dist\/libs|infra|apps\/lab\/bin|package\.json|README|LICENSE)/.test(path)),
  ).toEqual([]);

  for (const part of ['src', 'test', 'tsconfig.json'])
    cpSync(join(example, part), join(folder, part), { recursive: true });
  const manifest = JSON.parse(readFileSync(join(example, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  manifest.devDependencies['oversell-lab'] = `file:${packed.filename}`;
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  await run('npm', ['install', '--no-audit', '--no-fund'], folder);
  await expect(run(join('node_modules', '.bin', 'lab'), ['demo'], folder)).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^The installed package has only oversell-lab\/kit; .*\n$/) as unknown,
  });
  const shown = await run('npm', ['test'], folder);
  expect(shown).toMatch(/# pass 4/);
  expect(shown).toMatch(/# fail 0/);
  process.stderr.write(
    `${packed.size} bytes packed\n${shown.match(/^.*schedules, .*$/gm)?.join('\n') ?? ''}\n`,
  );
});
