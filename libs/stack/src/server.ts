import type { Claim } from './claim';
import { Child, type Command } from './child';
import { StackError } from './errors';
import { tail } from './paths';
import { PROCESS_MS, pollUntil } from './poll';
import { isFree, type PortRequest } from './ports';
import type { ServerName } from './types';

const GRACE_MS = 10_000;
const TRIES = 5;

/** How to run a server. Its ports stay the same across restarts. */
export interface ServerDefinition {
  readonly name: ServerName;
  readonly command: Command;
  readonly ports: readonly number[];
  /** Whether the process with this pid answers, and not another one on the same port. */
  answers(pid: number): Promise<boolean>;
}

/** A server that can be killed, paused and started again on the same address. */
export class Server {
  private child: Child | undefined;

  constructor(
    private readonly definition: ServerDefinition,
    private readonly claim: Claim,
  ) {}

  get name(): ServerName {
    return this.definition.name;
  }

  get log(): string {
    return this.definition.command.log;
  }

  get ports(): readonly number[] {
    return this.definition.ports;
  }

  get isUp(): boolean {
    return this.child !== undefined && !this.child.exited;
  }

  /** Up and not paused. */
  get isRunning(): boolean {
    return this.isUp && this.child?.paused === false;
  }

  /** Process id of the running server. @throws StackError STACK.SERVER_DOWN */
  get pid(): number {
    return this.running().pid;
  }

  /** Resolves when the server answers. @throws StackError STACK.START_FAILED */
  async start(): Promise<void> {
    const child = new Child(this.definition.command, this.claim);
    this.child = child;
    const answered = await pollUntil(
      async () => child.exited !== undefined || (await this.definition.answers(child.pid)),
      { timeoutMs: PROCESS_MS, everyMs: 5 },
    );
    if (answered && !child.exited) return;
    await child.kill('group');
    throw new StackError('STACK.START_FAILED', `${this.name} did not start. See its log:${tail(this.log)}`);
  }

  async kill(): Promise<void> {
    await this.running().kill('group');
  }

  async pause(): Promise<void> {
    await this.running().pause('group');
  }

  resume(): void {
    this.running().signal('SIGCONT', 'group');
  }

  reload(): void {
    this.running().signal('SIGHUP');
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async stop(): Promise<void> {
    if (this.isUp) await this.child?.stop(GRACE_MS);
  }

  private running(): Child {
    if (this.child && !this.child.exited) return this.child;
    throw new StackError(
      'STACK.SERVER_DOWN',
      `${this.name} is down. Start it again with restart('${this.name}').`,
    );
  }
}

/**
 * Starts a server on free ports, and retries on others when another process took one of them first.
 * `wishes` has one entry per port; a preferred port is tried first. @throws StackError STACK.START_FAILED
 */
export async function startOnFreePorts(
  wishes: readonly PortRequest[],
  definition: (ports: number[]) => ServerDefinition,
  claim: Claim,
): Promise<{ server: Server; ports: number[] }> {
  const { servers, ports } = await startTogether(wishes, (chosen) => [definition(chosen)], claim);
  const [server] = servers;
  if (server === undefined) throw new Error('one definition must yield one server');
  return { server, ports };
}

/** Like `startOnFreePorts`, for several servers that need one another's ports and answer only when all of them run. */
export async function startTogether(
  wishes: readonly PortRequest[],
  definitions: (ports: number[]) => readonly ServerDefinition[],
  claim: Claim,
): Promise<{ servers: readonly Server[]; ports: number[] }> {
  for (let attempt = 1; ; attempt++) {
    const ports: number[] = [];
    for (const wish of wishes)
      ports.push(await claim.ports.reserve(attempt > 1 && typeof wish === 'number' ? undefined : wish));
    const servers = definitions(ports).map((definition) => new Server(definition, claim));
    const starts = await Promise.allSettled(servers.map((server) => server.start()));
    const failed = starts.find((start) => start.status === 'rejected');
    if (failed === undefined) return { servers, ports };
    for (const server of servers) if (server.isUp) await server.kill();
    for (const port of ports) claim.ports.giveBack(port);
    const free = await Promise.all(ports.map((port, i) => isFree(port, wishes[i])));
    if (attempt === TRIES || free.every(Boolean)) throw failed.reason;
  }
}
