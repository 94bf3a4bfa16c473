import type { Language } from '#lab/verdict';

/** What protects: a strategy of the catalogue, a guard of an action, or a rate limiter. */
export interface Recommendation {
  readonly kind: 'strategy' | 'guard' | 'limiter';
  readonly name: string;
  readonly why: Readonly<Record<Language, string>>;
}

export interface Need {
  readonly title: Readonly<Record<Language, string>>;
  /** The first one is recommended; the others are for what `why` says. */
  readonly use: readonly Recommendation[];
}

const strategy = (name: string, en: string, zh: string): Recommendation => ({
  kind: 'strategy',
  name,
  why: { en, zh },
});
const guard = (name: string, en: string, zh: string): Recommendation => ({
  kind: 'guard',
  name,
  why: { en, zh },
});
const limiter = (name: string, en: string, zh: string): Recommendation => ({
  kind: 'limiter',
  name,
  why: { en, zh },
});

/** The rows of the cheat sheet. What they cost and do not survive is not written here: it comes from measured data. */
export const NEEDS: readonly Need[] = [
  {
    title: { en: 'One process only', zh: '只有一个进程' },
    use: [
      strategy(
        'local-mutex',
        'A mutex in memory, as long as no second process is ever started.',
        '内存里的互斥锁，前提是永远不会启动第二个进程。',
      ),
    ],
  },
  {
    title: { en: 'Short critical section in one database', zh: '临界区很短，数据在同一个数据库' },
    use: [
      strategy(
        'conditional-update',
        'One UPDATE checks and writes. No lock outside the database.',
        '一条 UPDATE 同时检查并写入，不需要数据库之外的锁。',
      ),
    ],
  },
  {
    title: { en: 'Several rows at once', zh: '一次要改多行' },
    use: [
      strategy(
        'for-update',
        'One transaction; lock the rows in a fixed order.',
        '一个事务，按固定顺序给各行加锁。',
      ),
      strategy(
        'multi',
        'Redis locks in a fixed order, when the rows are in several databases.',
        '行分布在多个数据库时，按固定顺序加多把 Redis 锁。',
      ),
    ],
  },
  {
    title: { en: 'A rule that does not fit one statement', zh: '规则写不进一条语句' },
    use: [
      strategy(
        'for-update',
        'Lock the row, read, decide, write, commit.',
        '先锁行，再读取、判断、写入、提交。',
      ),
      strategy('optimistic', 'Compare a version, when conflicts are rare.', '冲突很少时，用版本号比较。'),
    ],
  },
  {
    title: { en: 'Work outside the database', zh: '工作在数据库之外进行' },
    use: [
      guard(
        'notification/outbox',
        'A row "to be sent", and an idempotency key that the receiver remembers.',
        '先写 outbox（一行“待发送”），接收方认幂等键。',
      ),
      strategy(
        'fenced',
        'Only if the outside system itself refuses older tokens; the marks are those of the row.',
        '只有外部系统自己检查令牌时，栅栏才有用；右边是数据行的结果。',
      ),
      strategy(
        'watchdog',
        'Without a fence: only where double work is harmless.',
        '没有栅栏令牌：只用于重复执行也无害的工作。',
      ),
    ],
  },
  {
    title: { en: 'Requests must be served in order', zh: '必须公平排队' },
    use: [
      strategy(
        'fair',
        'A queue in Redis; the release hands the lock over.',
        'Redis 里的队列，解锁时直接交给下一个等待者。',
      ),
      strategy(
        'zookeeper',
        'Sequential nodes; a lost session ends the lock.',
        '顺序节点，会话丢失时锁自动结束。',
      ),
    ],
  },
  {
    title: { en: 'Hot product, flash sale', zh: '热点商品、秒杀' },
    use: [
      strategy(
        'segmented-redis',
        'The stock is split, so that buyers do not wait for one row. Needs a reconciliation.',
        '库存分段，买家不再等同一行；需要对账。',
      ),
      strategy(
        'redis-decr',
        'Redis counts down before the database is asked. Needs a reconciliation.',
        '先在 Redis 里扣减，再访问数据库；需要对账。',
      ),
    ],
  },
  {
    title: { en: 'Idempotent orders and messages', zh: '订单和消息幂等' },
    use: [
      guard(
        'submission/idempotency-key',
        'The client sends a key; a unique index and the recorded answer.',
        '客户端带上幂等键，唯一索引加上记录的应答。',
      ),
      guard(
        'consumption/unique-key',
        'The id of the message and its effect in one transaction.',
        '消息 id 与它的效果写在同一个事务里。',
      ),
    ],
  },
  {
    title: { en: 'Leader, scheduled jobs', zh: '选主、定时任务' },
    use: [
      guard(
        'job/marker',
        'A row per period with a unique key, in the transaction of the job.',
        '每个周期一行唯一键，与任务在同一个事务里。',
      ),
      guard(
        'leader/lease-fenced',
        'A leader with an epoch; the journal refuses an older one.',
        '带任期号的主节点，日志拒绝旧的任期。',
      ),
    ],
  },
  {
    title: { en: 'Rate limit', zh: '限流' },
    use: [
      limiter(
        'token-bucket',
        'One number per client, one Lua script; allows bursts.',
        '每个客户端一个数字、一个 Lua 脚本，允许突发。',
      ),
      limiter(
        'sliding-log',
        'Exact in any window; an entry in memory for each admitted request.',
        '任意窗口内都不超过上限，每个放行的请求占一条内存记录。',
      ),
    ],
  },
];
