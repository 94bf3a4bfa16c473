import { useOf, type Done, type Guard } from '#lab/guard';
import { seeded } from '#lab/random';
import { codeOf, messageOf, type Clock } from '#lab/step';
import type { Options } from '#lab/strategy';
import { judgeActions } from '#lab/verdict';
import type { Setup } from '../world';
import { requestTools } from './request-tools';
import type { Outcome, Requester, SubjectOf } from './subject';

/** The key of every action of a schedule: all actors do the same. */
const KEY = '7';

/** The subject of explorations of guards: each actor requests the same action. */
export const guardOnAction: SubjectOf<Setup & { readonly strategy: Guard }> = (setup, world) => {
  const { strategy: guard, options } = setup;
  const use = useOf(guard);
  return {
    about: { strategy: guard.name, stock: 0, leaseMs: options.leaseMs },
    lockStores: world.lockStoresOf(guard),
    keepsOtherKeys: true,
    keepsState: guard.sharesState === true,
    prepare: () => world.beginActions(guard, use, [KEY]).then(() => undefined),
    load: () => (requester, clock, warn) => act(guard, requester, options, clock, warn),
    writes: (text) => /^(INSERT|UPDATE|SEND)/.test(text),
    look: async () => ({ amount: 0, amounts: {}, movements: [], effects: await world.effects(use) }),
    judge: (history) => judgeActions(use.rules, history),
  };
};

/** Runs an actor's request. Never rejects. */
async function act(
  guard: Guard,
  { name, process, connections }: Requester,
  options: Options,
  clock: Clock,
  warn: (warning: string) => void,
): Promise<Outcome> {
  const tools = {
    ...requestTools(connections, options, process.local, clock, warn),
    sql: connections.dataSource,
    random: seeded(name.charCodeAt(0)),
  };
  try {
    const done = await guard.apply({ key: KEY, request: name, replica: process.name }, tools);
    return outcomeOf(done);
  } catch (error) {
    return { code: codeOf(error), text: messageOf(error) };
  }
}

function outcomeOf({ outcome, value = KEY }: Done): Outcome {
  const key = String(value);
  switch (outcome) {
    case 'done':
      return { code: 'APPLIED', text: `done: ${key}`, key };
    case 'already-done':
      return { code: 'APPLIED', text: `done by another request: ${key}`, key };
    case 'nothing-to-do':
      return { code: 'NOTHING_TO_DO', text: 'nothing to do' };
  }
}
