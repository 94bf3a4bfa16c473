import { readConfig } from '#lab/config';
import { COMPONENT_NAMES } from '#lab/step';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parse } from 'yaml';

const ROOT = resolve(__dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** Ports and volumes have a short form, common in files, and a long one, which `compose config` prints. */
type Port = string | { host_ip?: string; published?: string; target: number };
type Mount = string | { type: string; source: string; target: string; read_only?: boolean };

interface Service {
  image: string;
  profiles?: string[];
  command?: string[];
  env_file?: unknown;
  init?: boolean;
  restart?: string;
  ports?: Port[];
  volumes?: Mount[];
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test?: string[]; disable?: boolean };
  logging?: { options?: Record<string, string> };
  deploy: { replicas?: number; resources: { limits: { cpus?: string | number; memory?: string | number } } };
}

interface Compose {
  services: Record<string, Service>;
}

// eslint-disable-next-line no-restricted-properties -- for the programs that the spec runs
const PATH = { PATH: process.env['PATH'] ?? '' };

/** The file as committed and, if a compose binary is installed, as compose interprets it. */
const readings: [string, Compose][] = [
  ['docker-compose.yml', parse(read('docker-compose.yml'), { merge: true, maxAliasCount: -1 }) as Compose],
  ...rendered(),
];

function rendered(): [string, Compose][] {
  const programs: [string, string[]][] = [
    ['docker', ['compose']],
    ['docker-compose', []],
  ];
  const found = programs.find(([program, first]) => {
    try {
      const options = { encoding: 'utf8', stdio: 'pipe' } as const;
      return /^v?[2-9]/.test(execFileSync(program, [...first, 'version', '--short'], options));
    } catch {
      return false;
    }
  });
  if (found === undefined) return [];
  const [program, first] = found;
  const json = execFileSync(program, [...first, 'config', '--format', 'json'], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...PATH, COMPOSE_PROFILES: COMPONENT_NAMES.join(',') },
  });
  return [[[program, ...first, 'config'].join(' '), JSON.parse(json) as Compose]];
}

const hostOf = (port: Port): string | undefined =>
  typeof port === 'string' ? /^([\d.]+):/.exec(port)?.[1] : port.host_ip;

const targetOf = (port: Port): number =>
  typeof port === 'string' ? Number(port.split(':').at(-1)) : port.target;

/** The folder or file of the checkout that a mount exposes, and whether it is writable. */
function bindOf(mount: Mount): { source: string; writable: boolean }[] {
  if (typeof mount !== 'string')
    return mount.type === 'bind'
      ? [{ source: relative(ROOT, mount.source), writable: mount.read_only !== true }]
      : [];
  const [source = '', , mode] = mount.split(':');
  return source.startsWith('.')
    ? [{ source: relative(ROOT, join(ROOT, source)), writable: mode !== 'ro' }]
    : [];
}

const filesUnder = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => statSync(join(ROOT, name)).isFile());

describe.each(readings)('%s', (_, { services }) => {
  const all = Object.entries(services);
  const get = (name: string): Service => {
    const service = services[name];
    if (service === undefined) throw new Error(`there is no service ${name}`);
    return service;
  };
  const binds = all.flatMap(([, { volumes = [] }]) => volumes.flatMap(bindOf));

  it('publishes two addresses, public and lab, on the loopback interface only', () => {
    const ports = all.flatMap(([name, service]) =>
      (service.ports ?? []).map((port) => [name, hostOf(port), targetOf(port)]),
    );
    expect(ports).toEqual([
      ['nginx', '127.0.0.1', 8080],
      ['nginx', '127.0.0.1', 8081],
    ]);
  });

  it.each(['nginx', 'mysql', 'redis', 'redis-1', 'primary', 'zookeeper'])(
    '%s: runs an official image of an exact version',
    (name) => {
      expect(get(name).image).toMatch(/^[a-z]+:\d+\.\d+\.\d+(-[a-z]+)?$/);
    },
  );

  it('starts no optional service without a profile', () => {
    const always = all.filter(([, { profiles }]) => profiles === undefined).map(([name]) => name);
    expect(always.sort()).toEqual(['account', 'inventory', 'migrate', 'mysql', 'nginx', 'order', 'redis']);
    expect(get('inventory').environment?.['COMPONENTS']).toMatch(/^(\$\{COMPOSE_PROFILES:-\}|redlock,.*)$/);
  });

  it.each([
    ['redlock', ['redis-1', 'redis-2', 'redis-3', 'redis-4', 'redis-5']],
    ['replica', ['primary', 'replica-1', 'replica-2']],
    ['zookeeper', ['zookeeper']],
    ['etcd', ['etcd']],
    ['gateway', ['gateway']],
  ])('profile %s: starts %j', (profile, names) => {
    const started = all.filter(([, { profiles = [] }]) => profiles.includes(profile)).map(([name]) => name);
    expect(started.sort()).toEqual(names);
  });

  it('configures replication of the primary for the two replicas only', () => {
    const following = all
      .filter(([, { command = [] }]) => command.includes('--replicaof'))
      .map(([name]) => name);
    expect(following.sort()).toEqual(['replica-1', 'replica-2']);
    for (const name of following)
      expect(get(name).command?.join(' ')).toMatch(/redis\.conf .*--replicaof primary 6379$/);
  });

  it("runs Debian's etcd, like the private processes, with the settings of infra/", () => {
    expect(JSON.stringify(get('etcd'))).toContain('etcd.Dockerfile');
    expect(read('infra/docker/etcd.Dockerfile')).toMatch(/FROM debian:bookworm[\s\S]+ etcd-server /);
    expect(JSON.stringify(get('etcd'))).toMatch(/etcd\.env|"ETCD_HEARTBEAT_INTERVAL":"20"/);
  });

  it.each(['order', 'inventory', 'account', 'migrate'])('%s: runs the image that is built here', (name) => {
    expect(get(name).image).toBe(get('order').image);
    expect(get(name).image).not.toContain('latest');
  });

  it.each(all)('%s: has an init, a restart policy, limits and bounded logs', (name, service) => {
    expect(service.init).toBe(true);
    expect(service.restart).toBe(name === 'migrate' ? 'no' : 'unless-stopped');
    expect(Object.keys(service.deploy.resources.limits).sort()).toEqual(['cpus', 'memory']);
    expect(Object.keys(service.logging?.options ?? {}).sort()).toEqual(['max-file', 'max-size']);
  });

  it.each(all.filter(([name]) => name !== 'migrate'))('%s: has a health check', (_name, service) => {
    expect(service.healthcheck?.disable).not.toBe(true);
    expect(service.healthcheck?.test?.[0]).toMatch(/^CMD/);
  });

  it.each(['order', 'inventory', 'account'])('%s: starts after the migrations, with two replicas', (name) => {
    const { depends_on: needs = {}, deploy } = get(name);
    expect(needs['migrate']?.condition).toBe('service_completed_successfully');
    expect(needs['mysql']?.condition).toBe('service_healthy');
    expect(deploy.replicas).toBe(2);
  });

  it('mounts one volume for the history of all replicas', () => {
    for (const name of ['order', 'inventory', 'account']) {
      const { volumes = [], environment = {} } = get(name);
      const targets = volumes.map((volume) =>
        typeof volume === 'string' ? volume : `${volume.source}:${volume.target}`,
      );
      expect(targets).toEqual([`history:${environment['HISTORY_DIR'] ?? ''}`]);
    }
  });

  it('passes only environment variables that libs/config reads', () => {
    const known = [...read('libs/config/src/index.ts').matchAll(/^ {2}([A-Z_]+): \w/gm)].map(
      ([, key]) => key,
    );
    expect(known).toContain('LAB_ENABLED');
    known.push('COMPONENTS'); // read by replica.sh, see below
    for (const name of ['order', 'inventory', 'account', 'migrate'])
      expect(known).toEqual(expect.arrayContaining(Object.keys(get(name).environment ?? {})));
  });

  it('gives nginx every value that its templates use', () => {
    const required = filesUnder('infra/nginx/templates').flatMap((file) =>
      [...read(file).matchAll(/\$\{([A-Z_]+)\}/g)].map(([, key]) => key),
    );
    expect(Object.keys(get('nginx').environment ?? {})).toEqual(expect.arrayContaining(required));
  });

  it.each(['ORDER_SERVERS', 'INVENTORY_SERVERS', 'ACCOUNT_SERVERS'])(
    '%s: resolves the replicas again every second',
    (key) => {
      expect(get('nginx').environment?.[key]).toMatch(
        /resolver 127\.0\.0\.11 valid=1s .*server \w+:3000 resolve max_fails=0;/,
      );
    },
  );

  it('mounts every configuration file of infra/ read-only', () => {
    const files = ['infra/nginx', 'infra/redis', 'infra/mysql', 'infra/zookeeper'].flatMap(filesUnder);
    const mounted = (file: string): boolean =>
      binds.some(({ source }) => file === source || file.startsWith(`${source}/`));
    expect(files.filter((file) => !mounted(file))).toEqual([]);
    expect(binds.filter(({ writable }) => writable)).toEqual([]);
  });

  it('mounts only existing paths: Docker would create a folder for a missing one', () => {
    expect(binds.filter(({ source }) => !existsSync(join(ROOT, source)))).toEqual([]);
  });
});

describe('infra/docker', () => {
  /** The servers that an app reads from the environment that replica.sh prepares. */
  function serversOf(components: string | undefined): unknown {
    const folder = mkdtempSync(join(tmpdir(), 'lab-replica-'));
    mkdirSync(join(folder, 'dist/apps/inventory/src'), { recursive: true });
    writeFileSync(
      join(folder, 'dist/apps/inventory/src/main.js'),
      'process.stdout.write(JSON.stringify(process.env))',
    );
    const env = { ...PATH, HOSTNAME: 'host', ...(components !== undefined && { COMPONENTS: components }) };
    const output = execFileSync(join(ROOT, 'infra/docker/replica.sh'), ['inventory'], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    rmSync(folder, { recursive: true });
    return readConfig(JSON.parse(output) as Record<string, string>).servers;
  }

  it('replica.sh passes the addresses of the chosen profiles only', () => {
    expect(serversOf(undefined)).toEqual({});
    expect(serversOf('')).toEqual({});
    expect(serversOf('etcd')).toEqual({ etcd: 'http://etcd:2379' });
    expect(serversOf(COMPONENT_NAMES.join(','))).toEqual({
      voters: [1, 2, 3, 4, 5].map((n) => `redis://redis-${n}:6379`),
      primary: 'redis://primary:6379',
      zookeeper: 'zookeeper:2181',
      etcd: 'http://etcd:2379',
      gateway: 'http://gateway:3000',
    });
  });

  it('swarm.mjs prints the services of the chosen profiles without the keys that Swarm rejects', () => {
    const swarm = (profiles: string): Compose =>
      parse(
        execFileSync(process.execPath, [join(ROOT, 'infra/docker/swarm.mjs')], {
          encoding: 'utf8',
          env: { COMPOSE_PROFILES: profiles },
        }),
        { version: '1.1', merge: true },
      ) as Compose;
    expect(Object.keys(swarm('').services)).not.toContain('etcd');
    const { services } = swarm('etcd,replica');
    expect(Object.keys(services)).toEqual(expect.arrayContaining(['etcd', 'primary', 'replica-2', 'nginx']));
    expect(Object.keys(services)).not.toContain('redis-1');
    expect(JSON.stringify(services)).not.toMatch(/"(profiles|depends_on)"/);
  });
});

describe('the image of the apps', () => {
  const dockerfile = read('Dockerfile');

  it('starts from an exact Node.js version and runs as an unprivileged user', () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(bases[0]).toMatch(/^node:20\.\d+\.\d+-\w+-slim$/);
    expect(bases.slice(1).every((base) => base === 'base')).toBe(true);
    expect([...dockerfile.matchAll(/^USER (\S+)/gm)].map(([, user]) => user)).toEqual(['node']);
  });

  it('is built only from the paths that it names', () => {
    const [nothing, ...allowed] = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources = '']) =>
      sources.split(' '),
    );
    expect(nothing).toBe('*');
    expect(allowed.map((line) => line.slice(1)).sort()).toEqual(copied.sort());
  });

  it.each(filesUnder('infra/docker').filter((file) => file.endsWith('.sh')))('%s is executable', (file) => {
    expect(statSync(join(ROOT, file)).mode & 0o111).toBe(0o111);
  });
});
