import { DependencyDown, SessionLost, type ZooKeeperSession } from '#lab/step';
import { randomUUID } from 'node:crypto';
import type { Tools } from '../contract';

/** Milliseconds between two tries to remove a node. */
const AGAIN_MS = 500;

type Find = () => Promise<string | undefined>;

/**
 * Goes to the end of the queue `folder`, under a name of our own, by which the node is found again; `content` is for people.
 * Returns its path.
 */
export async function joinQueue(
  session: ZooKeeperSession,
  folder: string,
  content: string,
  clock: Tools['clock'],
): Promise<string> {
  const name = `${randomUUID()}-`;
  const find = async (): Promise<string | undefined> => {
    const found = (await session.children(folder)).find((child) => child.startsWith(name));
    return found === undefined ? undefined : `${folder}/${found}`;
  };
  const node = await make(session, () => session.createNumbered(`${folder}/${name}`, content), find, clock);
  if (node === undefined) throw new SessionLost('zookeeper');
  return node;
}

/** Makes the node if there is none, and says whether it did. `token`: its content, by which it is found again. */
export const makeFirst = async (
  session: ZooKeeperSession,
  path: string,
  token: string,
  clock: Tools['clock'],
): Promise<boolean> => {
  const create = async (): Promise<string | undefined> =>
    (await session.create(path, token)) ? path : undefined;
  return (await make(session, create, () => findOurs(session, path, token), clock)) !== undefined;
};

/** The node, if it is the one that we have made. */
export const findOurs = async (
  session: ZooKeeperSession,
  path: string,
  token: string,
): Promise<string | undefined> => ((await session.get(path))?.content === token ? path : undefined);

/** When the reply is lost, a node that was made all the same is found; when that fails too, it is removed later. */
async function make(
  session: ZooKeeperSession,
  create: Find,
  find: Find,
  clock: Tools['clock'],
): ReturnType<Find> {
  try {
    return await create();
  } catch (error) {
    if (!(error instanceof DependencyDown)) throw error;
    const found = await find().catch(async (again: unknown) => {
      await removeUntilGone(session, find, clock).catch(() => undefined);
      throw again;
    });
    if (found === undefined) throw error;
    return found;
  }
}

/**
 * Removes a node; when the server cannot be reached, again and again until it is gone: the session, and the node with
 * it, outlives the request. The first failure rejects all the same, so that somebody is told.
 */
export async function removeUntilGone(
  session: ZooKeeperSession,
  find: Find,
  clock: Tools['clock'],
): Promise<void> {
  const remove = async (): Promise<void> => {
    try {
      const path = await find();
      if (path !== undefined) await session.remove(path);
    } catch (error) {
      if (!(error instanceof SessionLost)) throw error; // with its session the node is gone
    }
  };
  await remove().catch((error: unknown) => {
    const again = clock.every(AGAIN_MS, async () => {
      await remove();
      again.stop();
    });
    throw error;
  });
}
