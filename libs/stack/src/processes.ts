import { count } from '#lab/step';
import { resolve } from 'node:path';
import { Claim } from './claim';
import { Components } from './components';
import { serveControl } from './control';
import { StackError } from './errors';
import { Layout } from './layout';
import { startMysql } from './mysql';
import { ProcessStack } from './process-stack';
import { startRedis } from './redis';
import type { Stack, StackOptions } from './types';

/**
 * Starts private servers and replicas on free loopback ports. Everything they write is under `dir`.
 * @throws StackError STACK.ALREADY_RUNNING, STACK.PROGRAM_MISSING, STACK.START_FAILED, STACK.MIGRATION_FAILED,
 *   STACK.NOT_READY, STACK.ABORTED; all processes started by then are killed.
 */
export async function startProcesses(options: StackOptions): Promise<Stack> {
  const dir = resolve(options.dir);
  const claim = await Claim.take(dir);
  const layout = new Layout(dir);
  const abort = (): void => void claim.abandon();
  options.signal?.addEventListener('abort', abort);
  try {
    if (options.signal?.aborted) await claim.abandon();
    return await start({ ...options, dir }, layout, claim);
  } catch (error) {
    await claim.abandon();
    layout.removeData();
    claim.release();
    if (!options.signal?.aborted) throw error;
    throw new StackError('STACK.ABORTED', 'The start was aborted, and all started processes were killed.', {
      cause: error,
    });
  } finally {
    options.signal?.removeEventListener('abort', abort);
  }
}

async function start(options: StackOptions, layout: Layout, claim: Claim): Promise<Stack> {
  const { durability = 'full', components: wanted = [] } = options;
  options.onProgress?.(['starting Redis and the database', ...wanted].join(', '));
  const components = new Components(layout, claim, durability);
  const [redis, mysql] = await Promise.all([
    startRedis(layout, claim),
    startMysql(layout, durability, claim),
    components.provide(wanted),
  ]);
  const stack = new ProcessStack(options, layout, claim, { redis, mysql, components });
  const wantedReplicas = Object.entries<number>({ ...options.replicas }).filter(([, n]) => n > 0);
  if (wantedReplicas.length > 0)
    options.onProgress?.(
      `starting ${wantedReplicas.map(([app, n]) => count(n, `${app} replica`)).join(' and ')}`,
    );
  await stack.scaleAll(options.replicas);
  const control = await serveControl(options.dir, stack);
  stack.onStop(control.close);
  claim.announce({ urls: stack.urls, historyDir: stack.historyDir, control: control.path });
  return stack;
}
