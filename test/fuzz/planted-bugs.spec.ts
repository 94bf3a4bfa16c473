import { draw, runFuzz, toCurl, type FuzzRun } from '#load-tests/fuzz';
import { SmallServer, type Bug } from './small-server';

async function fuzz(bug: Bug, requests = 300): Promise<FuzzRun> {
  const server = new SmallServer(bug);
  try {
    return await runFuzz(await server.open(), { seed: 20261121, requests });
  } finally {
    await server.close();
  }
}

const kinds = ({ findings }: FuzzRun): string[] => [...new Set(findings.map(({ what }) => what))];

test('a correct server has no findings, although valid and malformed requests were sent', async () => {
  const run = await fuzz('none');
  expect(kinds(run)).toEqual([]);
  expect(run.requests).toBe(300);
  expect(run.forbidden).toBeGreaterThan(20);
  expect(run.unchanged).toBeGreaterThan(50);
  expect(run.tally.get('POST /things @lab')?.get(201)).toBeGreaterThan(10);
});

test.each([
  ['answers 500', /^500, which the endpoint does not document$/],
  ['accepts values out of range', /^201 for what its OpenAPI document forbids$/],
  ['writes despite a refusal', /^refused, but it changed things$/],
  ['writes before it validates', /^refused, but it changed things$/],
  ['closes the connection', /^the connection was closed without an answer$/],
  ['answers in plain text', /^40[034] is text\/plain instead of problem\+json$/],
  ['has two statuses for one code', /^REQUEST\.INVALID is \d+ here and \d+ elsewhere$/],
  ['serves the lab in public', /^200 from the public address for an endpoint of the lab$/],
  ['accepts a public fault', /^201 for what its OpenAPI document forbids$/],
  ['executes a public fault', /^a process exited or was restarted/],
  ['loses count', /^\d+ things, -?\d+ recorded$/],
] as const)('a server that %s has this finding and no other', async (bug, what) => {
  const run = await fuzz(bug);
  expect(kinds(run)).not.toEqual([]);
  for (const kind of kinds(run)) expect(kind).toMatch(what);
});

test('the same seed sends the same requests, another seed others', async () => {
  const server = new SmallServer('none');
  const subject = await server.open();
  await server.close();
  const requestsOf = (seed: number): string[] =>
    Array.from({ length: 200 }, (_, i) => draw({ ...subject, seed }, i).bytes.toString('latin1'));
  expect(requestsOf(7)).toEqual(requestsOf(7));
  expect(requestsOf(8)).not.toEqual(requestsOf(7));
});

test('a finding can be repeated alone by its number, and comes with a curl command', async () => {
  const server = new SmallServer('answers 500');
  try {
    const subject = await server.open();
    const [first] = (await runFuzz(subject, { seed: 3, requests: 300 })).findings;
    if (first === undefined) throw new Error('the bug was not found');
    const again = await runFuzz(subject, { seed: 3, requests: 1, only: first.index });
    expect(again.findings).toEqual([first]);
    expect(first.curl).toMatch(/^curl .*\/things' .*--data-binary /);
  } finally {
    await server.close();
  }
});

test('a request that curl would change is sent through its telnet, byte by byte', () => {
  const request = {
    index: 0,
    endpoint: '',
    side: 'public',
    method: 'GET',
    bytes: Buffer.from("GET /\0' HTTP/1.1\r\n\r\n"),
    message: undefined,
    forbidden: false,
    endless: false,
    carriesFault: false,
    startsTimer: false,
    admits: new Set<number>(),
    wantsLab: false,
  } as const;
  expect(toCurl(request, 'http://127.0.0.1:8080')).toBe(
    `printf '%b' 'GET /\\x00\\x27 HTTP/1.1\\x0d\\x0a\\x0d\\x0a' | curl -sS telnet://127.0.0.1:8080`,
  );
});
