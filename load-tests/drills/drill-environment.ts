import { BALANCE_MIGRATIONS, Ledger } from '#lab/balance';
import { LOCK_MIGRATIONS, SqlLocks } from '#lab/locks';
import type { ServerPark } from '#lab/stack';
import { monotonic, SteppedDataSource, type ServerAddresses } from '#lab/step';
import { findStrategy, lockKeysOf, type Options } from '#lab/strategy';
import type { DrillEvidence, DrillMoment, Fact } from '#lab/verdict';
import { createConnection } from 'mysql2/promise';
import { Buyer } from './buyer';
import type { FromBuyer } from './messages';

/** The balance that all buyers of a drill buy from. */
export const BALANCE = 'item';
const DATABASE = 'lab_drill';

/** Settings shared by all buyers of a drill. */
export interface DrillSetup {
  readonly strategy: string;
  readonly options?: Partial<Options>;
  /** Initial units; default 1. */
  readonly stock?: number;
}

/** The addresses of a buyer's servers, or of fault proxies in front of them (`park.faultProxy`). */
export interface BuyerServers {
  /** `redis://host:port`; several: nodes of a cluster; absent: a Redis without faults. */
  readonly redis?: string | readonly string[];
  readonly servers?: ServerAddresses;
  /** ZooKeeper's session timeout in milliseconds. */
  readonly sessionMs?: number;
  /** Default: the drill's strategy. */
  readonly strategy?: string;
  readonly options?: Partial<Options>;
  /** The row checks the number that the lock's server assigned: `fencedByTheServer`. */
  readonly fenced?: true;
}

/** The environment of one drill: its servers, buyers, timeline, facts and figures. */
export class DrillEnvironment {
  readonly timeline: DrillMoment[] = [];
  private readonly facts: Fact[] = [];
  private readonly figures: Record<string, number | string> = {};
  private readonly cleanups: (() => void)[] = [];
  private readonly buyers: { buyer: Buyer; forget: () => void }[] = [];
  /** The commands of the buyers, in the order in which they were answered. */
  private readonly commands: { readonly buyer: string; readonly text: string }[] = [];
  private faultFreeRedis: Promise<string> | undefined;

  private constructor(
    readonly park: ServerPark,
    private readonly setup: DrillSetup,
    private readonly mysql: string,
    private readonly dataSource: SteppedDataSource,
  ) {}

  /** Creates the schema and resets the balance. */
  static async create(park: ServerPark, setup: DrillSetup): Promise<DrillEnvironment> {
    const mysql = await park.mysql();
    const connection = await createConnection({ uri: mysql });
    await connection.query(`CREATE DATABASE IF NOT EXISTS ${DATABASE}`);
    await connection.end();
    const dataSource = new SteppedDataSource({
      url: mysql,
      database: DATABASE,
      migrations: [...BALANCE_MIGRATIONS, ...LOCK_MIGRATIONS],
    });
    await dataSource.initialize();
    await dataSource.runMigrations();
    await new Ledger(dataSource).reset(BALANCE, setup.stock ?? 1);
    await new SqlLocks(dataSource).clear(BALANCE);
    return new DrillEnvironment(park, setup, mysql, dataSource);
  }

  /** The key of the lock in Redis under the drill's strategy. */
  get lockKey(): string {
    const [key = ''] = lockKeysOf(findStrategy(this.setup.strategy), BALANCE);
    return key;
  }

  /** Starts a connected buyer of one unit. Its name is also its request id. */
  async buyer(name: string, place: BuyerServers = {}): Promise<Buyer> {
    const buyer = await Buyer.start(
      {
        name,
        redis: place.redis ?? (await this.redisWithoutFaults()),
        servers: place.servers ?? {},
        ...(place.sessionMs !== undefined && { sessionMs: place.sessionMs }),
        mysql: this.mysql,
        database: DATABASE,
        lockDir: this.park.lockDir,
        balance: BALANCE,
        strategy: place.strategy ?? this.setup.strategy,
        ...(place.fenced !== undefined && { fenced: place.fenced }),
        options: { ...this.setup.options, ...place.options },
      },
      (message) => {
        this.record(name, message);
      },
    );
    this.buyers.push({ buyer, forget: this.park.adopt(`buyer ${name}`, buyer.pid) });
    return buyer;
  }

  /** Adds an event to the timeline. `actor` is the drill, a server or a buyer. */
  note(actor: string, event: string, isFailure = false): void {
    this.timeline.push({ at: monotonic(), who: actor, what: event, ...(isFailure && { isFailure }) });
  }

  /** The buyer that a lock's content names: by its name, or by a token that it was the first to send. */
  buyerOf(content: string): string {
    if (this.buyers.some(({ buyer: { name } }) => name === content)) return content;
    return this.commands.find(({ text }) => text.includes(content))?.buyer ?? content;
  }

  /** Records a precondition of the drill's proof. `holds` is measured at a server or the kernel. */
  fact(text: string, holds: boolean): void {
    this.facts.push({ text, holds });
    this.note('drill', holds ? `fact: ${text}` : `NOT TRUE: ${text}`, !holds);
  }

  /** Records a value that is shown beside the verdict. */
  figure(name: string, value: number | string): void {
    this.figures[name] = value;
  }

  /** Registers a cleanup that runs at the end of the drill, before its servers are killed. */
  onClose(end: () => void): void {
    this.cleanups.push(end);
  }

  /** The result: the database's final state, the buyers' outcomes, facts, figures and timeline. */
  async evidence(): Promise<DrillEvidence> {
    const ledger = new Ledger(this.dataSource);
    const { amount, initial } = await ledger.find(BALANCE);
    const movements = await ledger.movements(BALANCE);
    return {
      strategy: this.setup.strategy,
      initial,
      final: amount,
      movements,
      buyers: this.buyers.map(({ buyer: { name, outcome, text } }) => ({
        name,
        code: outcome ?? 'NO_ANSWER',
        text,
      })),
      facts: this.facts,
      figures: this.figures,
      timeline: this.timeline.toSorted((a, b) => a.at - b.at),
    };
  }

  /** Kills the buyers and the servers of this drill. */
  async close(): Promise<void> {
    for (const { buyer, forget } of this.buyers) {
      await buyer.kill();
      forget();
    }
    for (const end of this.cleanups) end();
    await this.dataSource.destroy();
    await this.park.clear();
  }

  private redisWithoutFaults(): Promise<string> {
    this.faultFreeRedis ??= this.park.redis('redis').then(({ url }) => url);
    return this.faultFreeRedis;
  }

  private record(buyer: string, message: FromBuyer): void {
    if (message.type === 'connected') return;
    if (message.type === 'step') this.commands.push({ buyer, text: message.text });
    this.timeline.push({
      at: message.at,
      who: buyer,
      what: describe(message),
      ...(isUnanswered(message) && { isFailure: true as const }),
    });
  }
}

/** A step that no server answered. */
const isUnanswered = (message: FromBuyer): boolean =>
  'errorCode' in message && message.errorCode === 'DEPENDENCY.DOWN';

function describe(message: Exclude<FromBuyer, { type: 'connected' }>): string {
  if (message.type === 'held') return `held ${message.when} ${message.text}`;
  if (message.type === 'end') return `${message.code}: ${message.text}`;
  if (message.type === 'warned') return `warns: ${message.text}`;
  const { text, server, error, reply } = message;
  const where = server === undefined ? '' : ` (${server})`;
  const [line] = text.split('\n'); // SCRIPT LOAD has the script's full text
  return `${line}${where} → ${error ?? JSON.stringify(reply)}`;
}
