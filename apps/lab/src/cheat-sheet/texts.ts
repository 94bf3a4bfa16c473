import { SUMMARY_COLUMNS } from '#lab/explore';
import type { LimitCircumstance } from '#lab/limit';
import type { FaultName } from '#lab/strategy';
import type { Mark, Language } from '#lab/verdict';

/** The faults of the columns of the matrix summary, of guards and of limiters. */
export type Circumstance = 'two processes' | 'slow work' | 'none' | FaultName | LimitCircumstance;

export interface SheetTexts {
  readonly title: string;
  readonly lead: string;
  readonly columns: readonly [need: string, use: string, cost: string, fails: string];
  readonly calls: (redis: number, sql: number, more: readonly string[]) => string;
  readonly nothing: string;
  readonly marks: Readonly<Record<Mark, string>>;
  /** Circumstances in words; without an entry, the name is shown. */
  readonly circumstances: Partial<Readonly<Record<Circumstance, string>>>;
  readonly notes: readonly string[];
  readonly source: (conditions: string) => string;
  readonly license: string;
}

export const TEXTS: Readonly<Record<Language, SheetTexts>> = {
  en: {
    title: 'Which lock for which need?',
    lead: 'First ask whether the database can decide alone. A lock outside the database can always have two holders.',
    columns: ['need', 'use', 'one order costs', 'does not survive'],
    calls: (redis, sql, more) => [`${redis} Redis, ${sql} SQL`, ...more.map((name) => `+ ${name}`)].join(' '),
    nothing: 'none of the tested faults',
    marks: {
      'data-wrong': 'data wrong',
      unavailable: 'stuck or unavailable',
      'lock-broken': 'lock broken, data right',
      safe: 'safe',
      unknown: 'not all schedules were run',
    },
    circumstances: {
      ...SUMMARY_COLUMNS,
      'two processes': 'a second process',
      none: 'no fault',
      kill: 'holder killed',
      'slow work': 'work longer than the lease',
      pause: 'pause beyond the lease',
      cut: 'cut off from the lock servers',
      flush: 'Redis restarts empty',
      error: 'a step fails',
      edge: 'the edge of a window',
      killed: 'replica killed',
      'redis-down-open': 'Redis down (open)',
      'redis-down-closed': 'Redis down (closed)',
    },
    notes: [
      'Cost: calls of one order of one product without contention; multi needs two Redis calls per product. Of guards and limiters they are not counted (–).',
      'Does not survive: strategies by the columns of the summary in docs/matrix.md, run in every order of steps with the fault at every step; guards and limiters by their catalogue, which tests confirm.',
      'Not among these faults: the host of a holder fails (host-down). Every strategy writes a row in a transaction, and the row can then stay locked until the database ends the session.',
    ],
    source: (conditions) => `Computed from docs/matrix.json: ${conditions}.`,
    license: 'Oversell Lab, CC BY 4.0',
  },
  zh: {
    title: '什么需求用什么锁？',
    lead: '先问一句：数据库自己能不能判断？数据库之外的锁，总有可能同时被两个请求持有。',
    columns: ['需求', '推荐', '一个订单的开销', '扛不住什么'],
    calls: (redis, sql, more) =>
      [`Redis ${redis} 次，SQL ${sql} 次`, ...more.map((name) => `+ ${name}`)].join(' '),
    nothing: '测过的故障都没问题',
    marks: {
      'data-wrong': '数据错误',
      unavailable: '卡死或不可用',
      'lock-broken': '锁失效，数据正确',
      safe: '安全',
      unknown: '没有跑完所有调度',
    },
    circumstances: {
      'two processes': '第二个进程',
      none: '没有故障',
      kill: '持有者被杀',
      'slow work': '业务超过租期',
      pause: '停顿超过租期',
      lapse: '锁过期',
      cut: '与锁服务器断网',
      'lose-reply': '应答丢失',
      flush: 'Redis 清空重启',
      error: '某一步失败',
      edge: '窗口边缘',
      killed: '实例被杀',
      'redis-down-open': 'Redis 宕机（放行）',
      'redis-down-closed': 'Redis 宕机（拒绝）',
    },
    notes: [
      '开销：一个订单只买一种商品、没有竞争时的调用次数；multi 每种商品要调用 Redis 两次。保护方式（guard）和限流器没有统计（–）。',
      '扛不住什么：方案取自 docs/matrix.md 摘要的各列，每一步都注入故障，跑遍所有调度；保护方式（guard）和限流器取自各自的目录，并由测试验证。',
      '其中不含持有者整机失联（host-down）：所有方案都在事务里写数据行，行锁可能一直留到数据库结束会话。',
    ],
    source: (conditions) => `由 docs/matrix.json 计算：${conditions}。`,
    license: 'Oversell Lab，CC BY 4.0',
  },
};
