import { setImmediate as microtasksDone } from 'node:timers/promises';
import { ALONE, type Member } from '../../apps/console/src/classroom/member';
import type { ScheduleServers } from '../../apps/console/src/steps/schedule-servers';
import { Schedules } from '../../apps/console/src/steps/schedules';
import { setupOf } from '../../apps/console/src/steps/setup';
import { Turns } from '../../apps/console/src/steps/turns';

/** Work that ends when the test says so. */
class Work {
  readonly begun: string[] = [];
  private readonly ends = new Map<string, () => void>();

  begin(title: string): () => Promise<void> {
    return () => {
      this.begun.push(title);
      return new Promise((resolve) => this.ends.set(title, resolve));
    };
  }

  end(title: string): void {
    this.ends.get(title)?.();
  }
}

test('the third work of a member begins when one of the first two has ended; that of another member at once', async () => {
  const [turns, work] = [new Turns(2), new Work()];
  const first = turns.run('ann', work.begin('ann 1'));
  const others = ['ann 2', 'ann 3', 'ann 4'].map((title) => turns.run('ann', work.begin(title)));
  others.push(turns.run('bob', work.begin('bob 1')));
  expect(work.begun).toEqual(['ann 1', 'ann 2', 'bob 1']);
  work.end('ann 1');
  await first;
  await microtasksDone();
  expect(work.begun).toEqual(['ann 1', 'ann 2', 'bob 1', 'ann 3']);
  work.end('ann 2');
  await others[0];
  await microtasksDone();
  expect(work.begun).toEqual(['ann 1', 'ann 2', 'bob 1', 'ann 3', 'ann 4']);
  for (const title of ['ann 3', 'ann 4', 'bob 1']) work.end(title);
  await Promise.all(others);
});

test('work that fails ends the turn of its member', async () => {
  const [turns, work] = [new Turns(1), new Work()];
  const failed = turns.run('ann', () => Promise.reject(new Error('refused')));
  const next = turns.run('ann', work.begin('ann 2'));
  await expect(failed).rejects.toThrow('refused');
  await microtasksDone();
  expect(work.begun).toEqual(['ann 2']);
  work.end('ann 2');
  await next;
});

test('schedules of one student leave worlds for another student; those of the teacher do not wait for each other', async () => {
  const asked: (() => void)[] = [];
  /** Servers that are still starting: each schedule that has its turn waits for them. */
  const servers = {
    urls: () =>
      new Promise((_, reject) =>
        asked.push(() => {
          reject(new Error('the servers do not start'));
        }),
      ),
  } as unknown as ScheduleServers;
  const schedules = new Schedules(servers);
  const setup = setupOf({ strategy: 'none', actors: '12', stock: 1, options: {} });
  const begin = (by: Member): Promise<string> =>
    schedules
      .play({ setup, choices: [], checks: '' }, by, () => Promise.resolve('played'))
      .catch((error: unknown) => String(error));
  const [ann, bob] = ['ann', 'bob'].map((id) => ({ id, name: id, isTeacher: false })) as [Member, Member];
  const beginMany = async (by: Member, times: number): Promise<Promise<string>[]> => {
    const all = Array.from({ length: times }, () => begin(by));
    await microtasksDone();
    return all;
  };
  const all = await beginMany(ann, 10);
  expect(asked).toHaveLength(2);
  all.push(...(await beginMany(bob, 1)));
  expect(asked).toHaveLength(3);
  while (asked.length > 0) {
    for (const fail of asked.splice(0)) fail();
    await microtasksDone();
  }
  expect(new Set(await Promise.all(all))).toEqual(new Set(['Error: the servers do not start']));
  const alone = await beginMany(ALONE, 3);
  expect(asked).toHaveLength(3);
  for (const fail of asked) fail();
  await Promise.all(alone);
});
