import { doctor } from '#lab/stack';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { openShop } from './support';

const run = promisify(execFile);
const STOCK = 20;
/** No multiple of the threads: the first threads send one request more. */
const [REQUESTS, THREADS] = [95, 10];

const jmeter = doctor().find(({ name }) => name === 'jmeter');
const isInstalled = jmeter?.found !== undefined;
const testWithJmeter = isInstalled ? test : test.skip;

describe(`the plan for JMeter${isInstalled ? '' : `, which is not installed: ${jmeter?.get.apt}`}`, () => {
  const shop = openShop('jmeter');

  testWithJmeter.each([
    ['none', 'workMs=20', { verdict: 'violated', asExpected: true }],
    ['conditional-update', 'workMs=0', { verdict: 'safe', sold: STOCK, finalStock: 0 }],
  ])('sends orders that lab verdict judges: %s', async (strategy, options, expected) => {
    const sku = await shop().product(STOCK);
    const file = (name: string): string => join(shop().dir, `${sku}.${name}`);
    const { hostname, port } = new URL(shop().url('public'));
    const { stdout } = await run(resolve('load-tests/jmeter/run.sh'), [
      ...['-n', '-t', resolve('load-tests/jmeter/oversell.jmx'), '-j', file('log'), '-l', file('jtl')],
      ...[`-Jhost=${hostname}`, `-Jport=${port}`, `-Jproduct=${sku}`, `-Jstrategy=${strategy}`],
      ...[`-Joptions=${options}`, `-Jthreads=${THREADS}`, `-Jrequests=${REQUESTS}`],
    ]);
    expect(stdout).toMatch(new RegExp(`summary = +${REQUESTS} in .* Err: +0 `));

    const ids = (await shop().history(sku)).flatMap((line) =>
      line.type === 'request' && line.app === 'order' ? [line.request] : [],
    );
    expect(new Set(ids).size).toBe(REQUESTS);
    expect(ids.filter((id) => !id.startsWith('jmeter-'))).toEqual([]);

    await run(process.execPath, [
      ...[resolve('dist/apps/lab/src/main.js'), 'verdict', sku, '--json', file('json')],
      ...['--public-url', shop().url('public'), '--lab-url', shop().url('lab')],
    ]);
    const verdict: unknown = JSON.parse(readFileSync(file('json'), 'utf8'));
    expect(verdict).toMatchObject({ strategy, initial: STOCK, ...expected });
  });
});
