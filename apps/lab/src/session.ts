import { attach, ensureInstalled, projectRoot, startProcesses, type Stack } from '#lab/stack';
import { ComponentMissing, count as counted, type Component } from '#lab/step';
import { delimiter, join, resolve } from 'node:path';
import { request } from 'undici';
import { labOf, Target, TargetError, type RunningLab } from '#load-tests/run';
import { EXIT, Failure } from './failure';
import { prune } from './housekeeping';
import type { Progress } from './print/progress';

/** The folder of the stack of `lab up`. */
export const upDir = (): string => join(projectRoot(), '.lab', 'up');

export interface LabAddresses {
  readonly publicUrl?: string;
  readonly labUrl?: string;
}

/** The lab at the given URLs, otherwise the running one (`lab up`). */
async function find({ labUrl, publicUrl }: LabAddresses): Promise<RunningLab | undefined> {
  if (labUrl !== undefined) return givenLab(labUrl, publicUrl ?? labUrl);
  const running = await attach(upDir());
  return running === undefined ? undefined : labOf(running);
}

/** The running lab. Throws `Failure` when there is none. */
export async function findRunningLab(addresses: LabAddresses): Promise<RunningLab> {
  const lab = await find(addresses);
  if (lab === undefined)
    throw new Failure('no lab is running: start one with "npm start", or give --lab-url', EXIT.usage);
  return lab;
}

/** How to start a lab. */
export interface LabStart {
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** The servers on demand that the lab needs. */
  readonly components: readonly Component[];
  /** Files whose strategies its requests may choose, by the names of these strategies. */
  readonly strategyFiles?: ReadonlyMap<string, string>;
}

/**
 * The running lab, otherwise a new one, which `stop` stops. Throws `Failure` when the running lab was started without one of
 * the components, or without one of the files.
 */
export async function findOrStartLab(addresses: LabAddresses, start: LabStart): Promise<RunningLab> {
  await prune((line) => {
    start.progress.say(line);
  });
  const running = await find(addresses);
  if (running === undefined) return startLab(join(projectRoot(), '.lab', `run-${process.pid}`), start);
  const available = start.components.length === 0 ? [] : await running.target.components();
  const missing = start.components.find((component) => !available.includes(component));
  const unknown = await firstUnknown(running, start.strategyFiles);
  if (missing === undefined && unknown === undefined) return running;
  await running.stop();
  throw new Failure(
    missing === undefined
      ? `the running lab was started without ${unknown}: stop it, or start it with --with-strategy ${unknown}`
      : new ComponentMissing(missing).message,
    EXIT.usage,
  );
}

/** The first file that the lab was started without. */
async function firstUnknown(
  { target }: RunningLab,
  files: ReadonlyMap<string, string> = new Map(),
): Promise<string | undefined> {
  for (const [strategy, file] of files) if (!(await target.knows(strategy))) return file;
  return undefined;
}

/** The environment of replicas that are to load these files. */
export const strategyEnvironment = (files: ReadonlyMap<string, string>): Record<string, string> =>
  files.size === 0
    ? {}
    : { STRATEGY_FILES: [...files.values()].map((file) => resolve(file)).join(delimiter) };

/** Installs missing servers and starts two replicas of each app. */
export async function startLab(dir: string, start: LabStart): Promise<RunningLab> {
  return labOf(await startStack(dir, start));
}

/** As `startLab`, but returns the stack, for commands that access its servers directly. */
export async function startStack(
  dir: string,
  { progress, signal, components, strategyFiles = new Map() }: LabStart,
  more: { readonly account?: number } = {},
): Promise<Stack> {
  const say = (line: string): void => {
    progress.say(line);
  };
  await prune(say);
  await ensureInstalled(say, components);
  const replicas = { order: 2, inventory: 2, ...more };
  const environment = strategyEnvironment(strategyFiles);
  return startProcesses({ dir, replicas, components, lab: true, environment, signal, onProgress: say });
}

/** Requests after which every replica of a lab that is only known by its URL has answered. */
const PROBES = 60;
const READY_MS = 30_000;

/** A lab that another program started, for example `docker compose up`: it can be observed, but not controlled. */
function givenLab(labUrl: string, publicUrl: string): RunningLab {
  const target = new Target(publicUrl, labUrl);
  let known = 0;
  let host: 'inventory' | 'account' = 'inventory';
  /** Counts the replicas that answer; nginx sends each request to the next replica. */
  const answering = async (): Promise<number> => {
    const path = host === 'inventory' ? 'products' : 'accounts';
    const seen = new Set<string>();
    for (let probe = 0; probe < PROBES; probe++) {
      const { statusCode, headers, body } = await request(`${publicUrl}/${path}`).catch((cause: unknown) => {
        throw new TargetError(`no lab answers at ${publicUrl}: start one with "npm start"`, { cause });
      });
      await body.dump();
      if (statusCode === 200) seen.add(String(headers['x-replica']));
    }
    return seen.size;
  };
  return {
    target,
    control: {
      scale: async (count, app = 'inventory') => {
        host = app;
        known = await answering();
        if (count === undefined || count === known) return known;
        throw new Failure(
          `the lab at ${labUrl} has ${counted(known, `${app} replica`)}, not ${count}: scale it, e.g. docker compose up -d --scale ${app}=${count}`,
          EXIT.usage,
        );
      },
      ready: async () => {
        const until = performance.now() + READY_MS;
        while ((await answering()) < known) {
          if (performance.now() < until) continue;
          throw new Failure(
            `the lab at ${labUrl} has ${counted(known, `${host} replica`)}, but not all of them answer: check its logs`,
            EXIT.notAsExpected,
          );
        }
      },
      lose: (server) => {
        throw new Failure(
          `cannot kill ${server} of the lab at ${labUrl}: another program started it. Run the command without --lab-url`,
          EXIT.usage,
        );
      },
      conditions: () => Promise.resolve({ backEnd: 'given', labUrl, publicUrl }),
      logOf: () => [],
    },
    stop: () => target.close(),
  };
}
