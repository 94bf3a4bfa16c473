import { BALANCE_MIGRATIONS, Ledger } from '#lab/balance';
import type { ServerPark } from '#lab/stack';
import { monotonic, SteppedDataSource, type ServerAddresses } from '#lab/step';
import { findStrategy, lockKeysOf, type Options } from '#lab/strategy';
import type { DrillEvidence, DrillMoment, Fact } from '#lab/verdict';
import { createConnection } from 'mysql2/promise';
import { Buyer } from './buyer';
import type { FromBuyer } from './messages';

/** What all buyers of a drill want. */
export const BALANCE = 'item';
const DATABASE = 'lab_drill';

/** What all buyers of a drill have in common. */
export interface DrillSetup {
  readonly strategy: string;
  readonly options?: Partial<Options>;
  /** Units before the first buyer; default 1. */
  readonly stock?: number;
}

/** Where a buyer's servers are; they may be networks of its own (`park.wire`). */
export interface BuyerServers {
  /** `redis://host:port`, several: nodes of a cluster; absent: a Redis that nothing happens to. */
  readonly redis?: string | readonly string[];
  readonly servers?: ServerAddresses;
  /** How long ZooKeeper keeps its session without hearing of it, milliseconds. */
  readonly sessionMs?: number;
  /** Another one than the drill's. */
  readonly strategy?: string;
  readonly options?: Partial<Options>;
  /** The row asks for the number that the lock's server gave: `fencedByTheServer`. */
  readonly fenced?: true;
}

/** Where one drill is played: its servers, its buyers, what has happened and what is known for sure. */
export class DrillEnvironment {
  readonly timeline: DrillMoment[] = [];
  private readonly facts: Fact[] = [];
  private readonly figures: Record<string, number | string> = {};
  private readonly leavers: (() => void)[] = [];
  private readonly buyers: { buyer: Buyer; dismiss: () => void }[] = [];
  private calmRedis: Promise<string> | undefined;

  private constructor(
    readonly park: ServerPark,
    private readonly setup: DrillSetup,
    private readonly mysql: string,
    private readonly dataSource: SteppedDataSource,
  ) {}

  /** A schema with a full stock. */
  static async set(park: ServerPark, setup: DrillSetup): Promise<DrillEnvironment> {
    const mysql = await park.mysql();
    const maker = await createConnection({ uri: mysql });
    await maker.query(`CREATE DATABASE IF NOT EXISTS ${DATABASE}`);
    await maker.end();
    const dataSource = new SteppedDataSource({
      url: mysql,
      database: DATABASE,
      migrations: BALANCE_MIGRATIONS,
    });
    await dataSource.initialize();
    await dataSource.runMigrations();
    await new Ledger(dataSource).reset(BALANCE, setup.stock ?? 1);
    return new DrillEnvironment(park, setup, mysql, dataSource);
  }

  /** The lock's key in Redis, by the drill's strategy. */
  get lockKey(): string {
    const [key = ''] = lockKeysOf(findStrategy(this.setup.strategy), BALANCE);
    return key;
  }

  /** A buyer of one unit, seated and connected. Its name is its request. */
  async buyer(name: string, place: BuyerServers = {}): Promise<Buyer> {
    const buyer = await Buyer.seat(
      {
        name,
        redis: place.redis ?? (await this.calm()),
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
        this.hear(name, message);
      },
    );
    this.buyers.push({ buyer, dismiss: this.park.adopt(`buyer ${name}`, buyer.pid) });
    return buyer;
  }

  /** Something that the drill did, for the timeline. */
  note(who: string, what: string): void {
    this.timeline.push({ at: monotonic(), who, what });
  }

  /** Something that must be true, or the drill proves nothing. `holds` comes from what a server or the kernel said. */
  fact(text: string, holds: boolean): void {
    this.facts.push({ text, holds });
    this.note('drill', `${holds ? 'it is true' : 'it is NOT true'} that ${text}`);
  }

  /** A number to be shown beside the verdict. */
  figure(name: string, value: number | string): void {
    this.figures[name] = value;
  }

  /** Something that is to be ended with the drill, before its servers are. */
  leaves(end: () => void): void {
    this.leavers.push(end);
  }

  /** What came of it, by the database. */
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

  /** Everybody goes home; the servers of this drill are gone. */
  async strike(): Promise<void> {
    for (const { buyer, dismiss } of this.buyers) {
      await buyer.kill();
      dismiss();
    }
    for (const end of this.leavers) end();
    await this.dataSource.destroy();
    await this.park.clear();
  }

  private calm(): Promise<string> {
    this.calmRedis ??= this.park.redis('redis').then(({ url }) => url);
    return this.calmRedis;
  }

  private hear(who: string, message: FromBuyer): void {
    if (message.type === 'seated') return;
    this.timeline.push({ at: message.at, who, what: inWords(message) });
  }
}

function inWords(message: Exclude<FromBuyer, { type: 'seated' }>): string {
  if (message.type === 'held') return `held ${message.when} ${message.text}`;
  if (message.type === 'end') return `${message.code}: ${message.text}`;
  if (message.type === 'warned') return `warns: ${message.text}`;
  const { text, server, error, reply } = message;
  const where = server === undefined ? '' : ` (${server})`;
  const [line] = text.split('\n'); // a script is taught with all of its text
  return `${line}${where} → ${error ?? JSON.stringify(reply)}`;
}
