import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { z } from 'zod';

const redis = z.url({ protocol: /^rediss?$/ });
const http = z.url({ protocol: /^https?$/ });

const schema = z.object({
  REPLICA: z
    .string()
    .regex(/^[\w.-]{1,64}$/)
    .default('local-1')
    .describe('name of this replica, shown as X-Replica'),
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65535).default(3000),
  REDIS_URL: redis.default('redis://127.0.0.1:6379'),
  REDLOCK_URLS: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(redis))
    .optional()
    .describe('independent Redis servers, separated by commas'),
  REPLICATED_REDIS_URL: redis.optional().describe('the primary of a Redis with replicas'),
  ZOOKEEPER_URL: z
    .string()
    .regex(
      /^[\w.-]+:\d{1,5}(,[\w.-]+:\d{1,5})*(\/[\w./-]+)?$/,
      'write host:port, or several of an ensemble: host:port,host:port',
    )
    .optional()
    .describe('host:port of ZooKeeper; members of an ensemble are separated by commas'),
  ETCD_URL: z
    .string()
    .refine(
      (text) => text.split(',').every((url) => http.safeParse(url).success),
      'write http://host:port, or several of a cluster: http://host:port,http://host:port',
    )
    .optional()
    .describe('http://host:port of etcd; members of a cluster are separated by commas'),
  GATEWAY_URL: http.optional().describe('http://host:port of the message gateway'),
  MYSQL_URL: z.url({ protocol: /^(mysql|mariadb)$/ }).default('mysql://lab:lab@127.0.0.1:3306'),
  INVENTORY_DATABASE: z.string().regex(/^\w+$/).default('inventory'),
  ORDER_DATABASE: z.string().regex(/^\w+$/).default('orders'),
  ACCOUNT_DATABASE: z.string().regex(/^\w+$/).default('accounts'),
  INVENTORY_URL: http.default('http://127.0.0.1:8090'),
  ORDER_RECONCILE_EVERY_MS: z.coerce
    .number()
    .int()
    .min(100)
    .max(600_000)
    .default(10_000)
    .describe('interval at which a replica looks for unfinished orders'),
  ORDER_RECONCILE_AFTER_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(86_400_000)
    .default(70_000)
    .describe(
      'an unfinished order is reconciled after this time without a heartbeat: longer than the longest request',
    ),
  ORDERS_AT_ONCE: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(256)
    .describe(
      'orders that one order replica admits at the same time; further orders are refused with OVERLOADED',
    ),
  ORDERS_AT_WORK: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(64)
    .describe('orders that one order replica works on at the same time; the other admitted ones wait'),
  SCAN_EVERY_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(3_600_000)
    .default(0)
    .describe('interval at which a replica of the account app settles pending entries, 0: never'),
  SCAN_STRATEGY: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .optional()
    .describe('the strategy that settles pending entries'),
  LAB_ENABLED: z.stringbool().default(false).describe('faults, history and reset: never in production'),
  HISTORY_DIR: z.string().default('.lab/history'),
  HISTORY_LIMIT_MB: z.coerce
    .number()
    .min(0.01)
    .max(100_000)
    .default(256)
    .describe('size of the history of one replica on disk; the oldest lines are dropped beyond it'),
  LONGEST_PAUSE_MS: z.coerce
    .number()
    .int()
    .min(1000)
    .max(60_000)
    .default(15_000)
    .describe('a replica that a fault has paused until an event is resumed after this time in any case'),
  STRATEGY_FILES: z
    .string()
    .transform((text) => text.split(delimiter).filter((file) => file !== ''))
    .default([])
    .describe('files with strategies or locks of users, which requests may choose; separated as PATH is'),
  LOCK_DIR: z
    .string()
    .default(join(tmpdir(), 'oversell-lab-locks'))
    .describe('folder of the directory locks, which only replicas on one host share'),
});

const settings = schema
  .pick({
    ORDER_RECONCILE_EVERY_MS: true,
    ORDER_RECONCILE_AFTER_MS: true,
    ORDERS_AT_ONCE: true,
    ORDERS_AT_WORK: true,
    HISTORY_LIMIT_MB: true,
    LONGEST_PAUSE_MS: true,
    SCAN_EVERY_MS: true,
    SCAN_STRATEGY: true,
  })
  .partial();

/**
 * Returns the variables of the environment that a user may set for the replicas of a lab, unparsed. Throws an error that
 * names each invalid one.
 */
export function readSettings(environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const parsed = settings.safeParse(environment);
  if (!parsed.success) throw invalidEnvironment(parsed.error);
  const names = Object.keys(settings.shape);
  return Object.fromEntries(
    names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  );
}

/** The locale of the user, for example `zh_CN.UTF-8`: the first of these variables that is set. Empty: none is. */
export const userLocale = (environment: NodeJS.ProcessEnv = process.env): string =>
  [environment['LC_ALL'], environment['LC_MESSAGES'], environment['LANG']].find(
    (value) => value !== undefined && value !== '',
  ) ?? '';

/** The environment of this process with other values, for a child process. */
export const environmentWith = (values: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  ...process.env,
  ...values,
});

const invalidEnvironment = (error: z.ZodError): Error =>
  new Error(`invalid environment variables:\n${z.prettifyError(error)}`);

/** The settings of one process, read from its environment once, at start-up. */
export interface Config {
  readonly replica: string;
  readonly host: string;
  readonly port: number;
  readonly redisUrl: string;
  /** Addresses of the servers on demand; absent: not started. */
  readonly servers: {
    readonly voters?: readonly string[];
    readonly primary?: string;
    readonly zookeeper?: string;
    readonly etcd?: string;
    readonly gateway?: string;
  };
  readonly mysqlUrl: string;
  readonly inventoryDatabase: string;
  readonly orderDatabase: string;
  readonly accountDatabase: string;
  readonly inventoryUrl: string;
  readonly orderReconcile: {
    /** Interval, milliseconds. */
    readonly everyMs: number;
    /** An unfinished order is reconciled after this time without a heartbeat, milliseconds. */
    readonly afterMs: number;
  };
  /** Orders that one order replica admits at the same time; nginx enforces the same bound for each replica. */
  readonly ordersAtOnce: number;
  /** Orders that one order replica works on at the same time; the other admitted ones wait. */
  readonly ordersAtWork: number;
  /** The scan that settles pending entries: its interval on each replica (0: never), and its strategy. */
  readonly scan: { readonly everyMs: number; readonly strategy?: string };
  /** Faults, history and reset exist only when this is true. */
  readonly labEnabled: boolean;
  readonly historyDir: string;
  /** Size of the history of one replica at which its oldest lines are dropped. */
  readonly historyLimitBytes: number;
  /** Maximum duration of a pause that waits for an event, milliseconds. */
  readonly longestPauseMs: number;
  readonly lockDir: string;
  /** Files with strategies or locks of users, which requests may choose. */
  readonly strategyFiles: readonly string[];
}

/** Reads and validates the environment. Throws an error that names each invalid variable. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const parsed = schema.safeParse(environment);
  if (!parsed.success) throw invalidEnvironment(parsed.error);
  const { data } = parsed;
  return {
    replica: data.REPLICA,
    host: data.HOST,
    port: data.PORT,
    redisUrl: data.REDIS_URL,
    servers: {
      ...(data.REDLOCK_URLS !== undefined && { voters: data.REDLOCK_URLS }),
      ...(data.REPLICATED_REDIS_URL !== undefined && { primary: data.REPLICATED_REDIS_URL }),
      ...(data.ZOOKEEPER_URL !== undefined && { zookeeper: data.ZOOKEEPER_URL }),
      ...(data.ETCD_URL !== undefined && { etcd: data.ETCD_URL }),
      ...(data.GATEWAY_URL !== undefined && { gateway: data.GATEWAY_URL }),
    },
    mysqlUrl: data.MYSQL_URL,
    inventoryDatabase: data.INVENTORY_DATABASE,
    orderDatabase: data.ORDER_DATABASE,
    accountDatabase: data.ACCOUNT_DATABASE,
    inventoryUrl: data.INVENTORY_URL,
    orderReconcile: { everyMs: data.ORDER_RECONCILE_EVERY_MS, afterMs: data.ORDER_RECONCILE_AFTER_MS },
    ordersAtOnce: data.ORDERS_AT_ONCE,
    ordersAtWork: data.ORDERS_AT_WORK,
    scan: {
      everyMs: data.SCAN_EVERY_MS,
      ...(data.SCAN_STRATEGY !== undefined && { strategy: data.SCAN_STRATEGY }),
    },
    labEnabled: data.LAB_ENABLED,
    historyDir: data.HISTORY_DIR,
    historyLimitBytes: Math.floor(data.HISTORY_LIMIT_MB * 2 ** 20),
    longestPauseMs: data.LONGEST_PAUSE_MS,
    lockDir: data.LOCK_DIR,
    strategyFiles: data.STRATEGY_FILES,
  };
}
