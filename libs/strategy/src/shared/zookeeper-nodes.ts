import { DependencyDown, dropped, SessionLost, type ZooKeeperSession } from '#lab/step';
import { randomUUID } from 'node:crypto';
import type { Tools } from '../contract';

/** Milliseconds between two attempts to remove a node. */
const RETRY_MS = 500;

type FindNode = () => Promise<string | undefined>;

/**
 * Creates a node at the end of the queue `folder`, and returns its path. Its name contains a GUID, by which the node is
 * found when the reply is lost; `content` is for people.
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
  const node = await createOrFind(
    session,
    () => session.createNumbered(`${folder}/${name}`, content),
    find,
    clock,
  );
  if (node === undefined) throw new SessionLost('zookeeper');
  return node;
}

/** Creates the node unless it exists. True: it is ours. Its content `token` identifies it when the reply is lost. */
export const createIfAbsent = async (
  session: ZooKeeperSession,
  path: string,
  token: string,
  clock: Tools['clock'],
): Promise<boolean> => {
  const create = async (): Promise<string | undefined> =>
    (await session.create(path, token)) ? path : undefined;
  return (await createOrFind(session, create, () => findOurs(session, path, token), clock)) !== undefined;
};

/** The path, if the node there is ours. */
export const findOurs = async (
  session: ZooKeeperSession,
  path: string,
  token: string,
): Promise<string | undefined> => ((await session.get(path))?.content === token ? path : undefined);

/** When the reply is lost, looks whether the node was created. When that fails too, removes the node later. */
async function createOrFind(
  session: ZooKeeperSession,
  create: FindNode,
  find: FindNode,
  clock: Tools['clock'],
): ReturnType<FindNode> {
  try {
    return await create();
  } catch (error) {
    if (!(error instanceof DependencyDown)) throw error;
    const found = await find().catch(async (second: unknown) => {
      await removeUntilGone(session, find, clock).catch(dropped('the removal of a node of ZooKeeper'));
      throw second;
    });
    if (found === undefined) throw error;
    return found;
  }
}

/**
 * Removes a node, and retries in the background while the server cannot be reached: the session, and the node with it,
 * outlives the request. Rejects with the first failure, so that the caller can report it.
 */
export async function removeUntilGone(
  session: ZooKeeperSession,
  find: FindNode,
  clock: Tools['clock'],
): Promise<void> {
  const remove = async (): Promise<void> => {
    try {
      const path = await find();
      if (path !== undefined) await session.remove(path);
    } catch (error) {
      if (!(error instanceof SessionLost)) throw error; // the node was removed with its session
    }
  };
  await remove().catch((error: unknown) => {
    const retry = clock.every(RETRY_MS, async () => {
      await remove();
      retry.stop();
    });
    throw error;
  });
}
