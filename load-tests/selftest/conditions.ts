import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** What the machine does while schedules are replayed. */
export const CONDITIONS = {
  idle: 'nothing else runs',
  busy: '8 processes use the CPU, 4 flush files',
  stopped: 'the explorer, Redis and the database are stopped for 50 to 500 ms at random',
} as const;

export type ConditionName = keyof typeof CONDITIONS;

/** The servers of the explorer, by name. */
export interface Disturbable {
  pause(server: 'redis' | 'mysql'): Promise<void>;
  resume(server: 'redis' | 'mysql'): Promise<void>;
}

/** A condition that is in force until `end`, which resolves to the proof that it was. */
export interface Force {
  end(): Promise<string>;
}

const BUSY = [...Array<string>(8).fill('cpu'), ...Array<string>(4).fill('io')];
const STOP_MS = { least: 50, most: 500 };
const TARGETS = ['explorer', 'redis', 'mysql'] as const;

/** Puts a condition in force. `random` returns numbers from 0 to 1. */
export function enforce(name: ConditionName, servers: Disturbable, random: () => number): Force {
  switch (name) {
    case 'idle':
      return { end: () => Promise.resolve('') };
    case 'busy':
      return beBusy();
    case 'stopped':
      return stopAtRandom(servers, random);
  }
}

function beBusy(): Force {
  let slices = 0;
  const children = BUSY.map((kind) =>
    fork(join(__dirname, 'busy-process.js'), [kind]).on('message', () => slices++),
  );
  return {
    end: async () => {
      await Promise.all(children.map(disconnect));
      return `${slices} slices of 50 ms`;
    },
  };
}

function stopAtRandom(servers: Disturbable, random: () => number): Force {
  const stopper = fork(join(__dirname, 'stop-parent.js'));
  const stops = { explorer: 0, redis: 0, mysql: 0 };
  let isOver = false as boolean; // set by `end`
  const between = (): number => STOP_MS.least + random() * (STOP_MS.most - STOP_MS.least);
  const stopOnce = async (): Promise<void> => {
    const target = TARGETS[Math.floor(random() * TARGETS.length)] ?? 'explorer';
    const ms = between();
    if (target === 'explorer') {
      stopper.send(ms);
      const [wasStopped] = (await once(stopper, 'message')) as [boolean];
      if (wasStopped) stops.explorer++;
      return;
    }
    await servers.pause(target);
    await delay(ms);
    await servers.resume(target);
    stops[target]++;
  };
  const loop = (async () => {
    while (!isOver) {
      await stopOnce();
      await delay(between());
    }
  })();
  return {
    end: async () => {
      isOver = true;
      await loop;
      await disconnect(stopper);
      return Object.entries(stops)
        .map(([target, n]) => `${target} ${n}×`)
        .join(', ');
    },
  };
}

async function disconnect(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.disconnect();
  await exit;
}
