import { actorsOf, isSubject, type OwnSubject } from '#lab/own';
import { codeOf, messageOf } from '#lab/step';
import type { ActorOutcome } from '#lab/subject';
import { judgeInvariants, type FinalState } from '#lab/verdict';
import { ACTOR_NAMES, type OwnSession, type Setup } from '../world';
import { loadExplored, type Realm } from './realm';
import { withGlobalsOf } from './replaced-globals';
import type { Outcome, Requester, SubjectOf } from './subject';

/** The subject of explorations of a user's own code: each actor runs one of its functions. */
export const ownSubject: SubjectOf<Setup & { readonly strategy: OwnSubject }> = (setup, world) => {
  const { strategy, processes } = setup;
  const { name, definition, module } = strategy;
  const outcomes = new Map<string, ActorOutcome>();
  const requesters = new Map<string, Requester>();
  let session: OwnSession | undefined;
  const isShared = new Set(processes).size < processes.length;
  return {
    about: { strategy: name, stock: 0, leaseMs: setup.options.leaseMs },
    lockStores: [world.keys],
    keepsOtherKeys: true,
    keepsState: isShared,
    ...(module !== undefined && { file: module }),
    isForeign: true,
    hasInvariants: true,
    hasClients: true,
    prepare: async () => {
      session = await world.beginSubject(strategy);
      return world.keys.readPrepared();
    },
    load: (realm) => {
      const actors = actorsOf(module === undefined ? definition : definitionIn(realm, module, name));
      return async (requester) => {
        const { name: actor, connections, process } = requester;
        requesters.set(actor, requester);
        const run = actors[ACTOR_NAMES.findIndex((known) => known === actor)]?.run;
        const act = (): unknown => run?.(connections.own?.clients ?? {});
        const hasGlobals = module === undefined && realm !== undefined;
        const ended = await outcomeOf(actor, hasGlobals ? () => withGlobalsOf(realm, act) : act);
        if (process.alive) outcomes.set(actor, ended); // code of a dead process may catch its errors, and end as if it were alive
        return described(ended);
      };
    },
    writes: (text) => /^(INSERT|UPDATE|DELETE|REPLACE|SET|HSET|INCR)/i.test(text),
    look: async () => {
      const ended = processes.map((_, i): ActorOutcome => {
        const actor = ACTOR_NAMES[i] ?? '';
        const isDead = requesters.get(actor)?.process.alive === false;
        return outcomes.get(actor) ?? { actor, state: isDead ? 'died' : 'waits' };
      });
      const broken =
        session === undefined ? [] : await world.untilJudged(brokenInvariants(strategy, session, ended));
      return { amount: 0, amounts: {}, movements: [], broken };
    },
    judge: judgeInvariants,
  };
};

/** The definition as the file exports it in one process. */
function definitionIn(realm: Realm | undefined, file: string, name: string): OwnSubject['definition'] {
  const loaded = realm === undefined ? undefined : loadExplored(file, name, realm);
  if (loaded === undefined || !isSubject(loaded)) throw new Error(`${file} no longer exports a subject`);
  return loaded.definition;
}

async function outcomeOf(actor: string, run: () => unknown): Promise<ActorOutcome> {
  try {
    return { actor, state: 'returned', value: await run() };
  } catch (error) {
    return { actor, state: 'threw', error };
  }
}

function described({ state, value, error }: ActorOutcome): Outcome {
  if (state === 'returned') return { code: 'APPLIED', text: `returned ${JSON.stringify(value)}` };
  return { code: codeOf(error), text: messageOf(error) };
}

async function brokenInvariants(
  { definition }: OwnSubject,
  { observer }: OwnSession,
  outcomes: readonly ActorOutcome[],
): Promise<FinalState['broken'] & object> {
  const broken: { invariant: string; why: string }[] = [];
  for (const [invariant, isTrue] of Object.entries(definition.invariants))
    try {
      const said = await isTrue(observer.clients, outcomes);
      if (said === false) broken.push({ invariant, why: '' });
      if (typeof said === 'string') broken.push({ invariant, why: said });
    } catch (error) {
      broken.push({ invariant, why: messageOf(error) });
    }
  return broken;
}
