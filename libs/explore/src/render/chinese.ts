import type { FaultName } from '#lab/strategy';
import { type AnyViolationKind, MARKS, type Mark } from '#lab/verdict';
import type { UnknownReason } from '../matrix';

/** The kinds as the console names them; the name in code follows, because commands and tables print it. */
const KINDS: Readonly<Record<AnyViolationKind, string>> = {
  oversold: '超卖',
  'lost-update': '丢失更新',
  overlap: '两个持有者同时持锁',
  'foreign-release': '误删别人的锁',
  'foreign-renewal': '续了别人的锁',
  stuck: '卡死',
  undersold: '少卖',
  orphan: '孤儿数据',
  'torn-cart': '购物车只成交一部分',
  'dead-lock': '死锁',
  unavailable: '不可用',
  starved: '饿死',
  late: '等得太久',
  'fail-open': '加锁出错仍放行',
  'lost-acknowledged': '已确认的订单丢失',
  duplicate: '重复执行',
  missing: '漏执行',
  'stale-write': '旧主写入',
  'repeated-work': '重复干活',
  avalanche: '缓存雪崩',
  invariant: '不变式不成立',
  'over-limit': '超过上限',
  'blocked-forever': '永远被拒',
  unfair: '不公平',
  'limiter-down': '限流器不可用',
};

const MARK_NAMES: Readonly<Record<Mark, string>> = {
  'data-wrong': '数据错误',
  unavailable: '卡死或不可用',
  'lock-broken': '锁失效，数据正确',
  safe: '安全',
  unknown: '未知',
};

const MARK_WORDS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(MARK_NAMES).map(([mark, name]): [string, string] => [MARKS[mark as Mark].words, name]),
  ['work repeated, data right', '重复干活，数据正确'],
]);

/** The faults as the console names them. */
const FAULT_NAMES: Readonly<Record<FaultName, string>> = {
  lapse: '锁过期',
  kill: '杀死',
  'host-down': '主机断电',
  pause: '停顿',
  tick: '定时器触发',
  slow: '业务变慢',
  overrun: '一步极慢',
  cut: '断网',
  'in-flight': '崩溃，语句在途',
  'lose-reply': '应答丢失',
  error: '命令失败',
  flush: 'Redis 清空重启',
  'lost-session': '断开数据库会话',
  'server-down': '锁服务器宕机',
};

/** Why an exploration proves nothing, in Chinese, from its data: the counterpart of `unknownText`. */
export function unknownInChinese(reason: UnknownReason): string {
  switch (reason.code) {
    case 'fault-never-fired':
      return `故障“${FAULT_NAMES[reason.fault]}”（${reason.fault}）从未发生：这里没有它能作用的对象`;
    case 'incomplete': {
      const { found } = reason;
      const seen = found === undefined ? '' : `其中 ${found.schedules} 个调度：${MARK_NAMES[found.harm]}；`;
      return `${seen}没有跑完所有调度，可能还有未发现的数据错误`;
    }
    case 'no-contention':
      return '各请求从未同时运行';
    case 'diverged':
      return `重复执行了两次，服务器的行为都与之前不同：${reason.message}`;
  }
}

/** Parts of other phrases: how a holder lost its lock, and what follows a reply. */
const FRAGMENTS: readonly (readonly [RegExp, string])[] = [
  [/(\w+)'s lease ended at step (\d+)/g, '$1 的租期在第 $2 步结束'],
  [/Redis lost (\w+)'s lock at step (\d+)/g, 'Redis 在第 $2 步丢了 $1 的锁'],
  [/(\w+)'s lock was deleted at step (\d+)/g, '$1 的锁在第 $2 步被删'],
  [/(\w+)'s lock was overwritten at step (\d+)/g, '$1 的锁在第 $2 步被覆盖'],
  [/(\w+) never had it; /g, '$1 从未持有它，'],
  [/^( ⇒ \d+) row/, '$1 行'],
  [/ \(waited until (\d+)\)/, '（等到第 $1 步）'],
  [/ \(reply lost\)$/, '（应答丢失）'],
  [/^directory (?=\S+ never ends)/, '目录 '],
  [/^row (?=\S+ never ends)/, '行 '],
];

/** Whole phrases of slides, of events and of verdicts. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  // title and actors
  [/^(\S+) beside (\S+): (\d+) buyers, (\d+) in stock$/, '$1 与 $2：$3 个买家，库存 $4'],
  [/^(\S+): (\d+) buyers, (\d+) in stock$/, '$1：$2 个买家，库存 $3'],
  [/^(\S+): (\d+) requests$/, '$1：$2 个请求'],
  [/^thick line: holds the lock$/, '粗线：持有锁'],
  [/^(\w+ \(\w+\)) wants (.+)$/, '$1 要买 $2'],
  // locks
  [/^lock taken$/, '加锁'],
  [/^lock replaced$/, '锁被覆盖'],
  [/^lock released$/, '解锁'],
  [/^lock renewed$/, '续期'],
  [/^lock expired$/, '锁过期'],
  [/^lock flushed$/, '锁丢失'],
  [/^(\w+)'s lock is gone$/, '$1 的锁被删'],
  [/^window opened$/, '窗口打开'],
  [/^window replaced$/, '窗口被覆盖'],
  [/^window removed$/, '窗口被删'],
  [/^window gets its end$/, '窗口有了结束时间'],
  [/^window ended$/, '窗口结束'],
  [/^window lost$/, '窗口丢失'],
  // faults and time
  [/^the window of (\S+) ends$/, '$1 的窗口结束'],
  [/^(\w+)'s lease ends$/, '$1 的租期结束'],
  [/^(\w+)'s lease is renewed before it ends$/, '$1 的租期在结束前续上了'],
  [/^(\w+ \([\w, ]+\)) is killed; (\w+)'s (\S+) is still in flight$/, '$1 被杀死；$2 的 $3 还在途中'],
  [/^(\w+ \([\w, ]+\)) is killed$/, '$1 被杀死'],
  [/^the host of (\w+ \([\w, ]+\)) is down$/, '$1 的主机断电，连接没有关闭'],
  [/^(\w+ \([\w, ]+\)) is paused$/, '$1 停顿'],
  [/^(\w+) is paused until after the lease of (.+)$/, '$1 一直停顿到 $2 的租期之后'],
  [/^(\w+ \([\w, ]+\)) resumes$/, '$1 恢复'],
  [/^(\w+ \([\w, ]+\)) is cut off from the lock servers$/, '$1 与锁服务器断网'],
  [/^the database ends the sessions of (.+)$/, '数据库断开 $1 的会话'],
  // of a user's invariant: its name stays as it is
  [/^(".+") is false: (.+)$/s, '不变式 $1 不成立：$2'],
  [/^(".+") is false$/s, '不变式 $1 不成立'],
  [/^(\S+) restarts empty$/, '$1 清空重启'],
  [/^this step of (\w+) takes (\d+) ms$/, '$1 的这一步耗时 $2 毫秒'],
  [
    /^no request can continue; time advances until the wait of (\w+) ends$/,
    '没有请求能继续；时间前进到 $1 的等待结束',
  ],
  [
    /^no request can continue; time advances until the lease of (.+) ends$/,
    '没有请求能继续；时间前进到 $1 的租期结束',
  ],
  [
    /^no request can continue; a lock wait in the database ends with its time-out$/,
    '没有请求能继续；数据库里的一个锁等待超时',
  ],
  [
    /^no request can continue; time advances until a timer of (\w+) is due$/,
    '没有请求能继续；时间前进到 $1 的定时器触发',
  ],
  [/^a timer of (\w+) is due$/, '$1 的定时器触发'],
  [/^a timer of (\w+) still runs; (\d+) ms pass$/, '$1 的定时器还在运行；过了 $2 毫秒'],
  [/^(\S+) is down: no process can reach it$/, '$1 宕机：没有进程能访问它'],
  [/^no lease can end$/, '没有租期可以结束'],
  [/^(\S+) ends with an unhandled error: (.+)$/, '$1 因未处理的错误结束：$2'],
  [/^(\S+) ends: (.+)$/, '$1 结束：$2'],
  // ends
  [/^sold one: (-?\d+) → (-?\d+)$/, '卖出一件：$1 → $2'],
  [/^sold one of each: (.+)$/, '各卖出一件：$1'],
  // steps
  [/^(\S+) could not be released(: .*)?$/, '$1 没能释放$2'],
  [/^timer: /, '定时器：'],
  [/^WAIT for news$/, '等待通知'],
  [/^WAIT$/, '等待'],
  // the final state, and what kept it right
  [/stock (\d+) → (-?\d+), movements: none$/, '库存 $1 → $2，流水：无'],
  [/stock (\d+) → (-?\d+), movements: (.+)$/, '库存 $1 → $2，流水：$3'],
  [/^right: no violation in this schedule$/, '正确：这次调度没有违规'],
  [/^waited for the lock$/, '等过锁'],
  [/^waited for the lock, and gave up$/, '等锁，最后放弃'],
  [/^waited for the mutex of its process$/, '等过本进程的互斥锁'],
  [/^waited in the database: (.+)$/, '在数据库里等待：$1'],
  [/^given up by the database in a dead-lock: (.+)$/, '数据库为解开死锁放弃了：$1'],
  [/^refused by (.+): it changed no row$/, '被 $1 拒绝：没有改动任何行'],
  [/^tried again after (.+) changed no row$/, '$1 没有改动任何行，于是重试'],
  [/^refused before its write: it knew that its lock was lost$/, '写之前就拒绝了：它知道锁已丢失'],
  // violations
  [/(\d+) sold of (\d+): (.+)$/, '库存 $2，卖出 $1：$3'],
  [/(\d+) lost: (\w+) and (\w+) both changed (\d+) to (-?\d+)$/, '少扣 $1 件：$2 和 $3 都把 $4 改成 $5'],
  [/(\d+) lost: the balance is (-?\d+), the movements say (-?\d+)$/, '少扣 $1 件：余额是 $2，按流水应为 $3'],
  [
    /units are gone: the balance is (-?\d+), the movements say (-?\d+)$/,
    '件数凭空消失：余额是 $1，按流水应为 $2',
  ],
  [/^([\w, ]+) refused as sold out with (.+) left$/, '$1 被告知售罄，其实还剩 $2 件'],
  [/^(\w+) received APPLIED, but has no movement(?: of .+)?$/, '$1 得到 APPLIED，却没有流水'],
  [/^(\w+) received (\S+), but has a movement$/, '$1 得到 $2，却有流水'],
  [/^(\w+)'s cart was torn: (.+) sold, (.+) not$/, '$1 的购物车只成交了一部分：$2 卖出，$3 没有'],
  [
    /^((?:目录 |行 )?\S+) never ends: (\w+) took it at step (\d+), it has no time to live, and its holder is dead$/,
    '$1 永不结束：$2 在第 $3 步加锁，没有过期时间，而持有者已经死了',
  ],
  [
    /^((?:目录 |行 )?\S+) never ends: (\w+) took it at step (\d+), it has no time to live, and no actor is left that would release it$/,
    '$1 永不结束：$2 在第 $3 步加锁，没有过期时间，也没有请求会再释放它',
  ],
  [
    /^((?:目录 |行 )?\S+) never ends: (\w+) had ended at step (\d+), and its timer still renews the lock \(step (\d+)\)$/,
    '$1 永不结束：$2 在第 $3 步已结束，它的定时器还在续期（第 $4 步）',
  ],
  [
    /^two holders: (\w+) took the lock at step (\d+), (?:(.+), )?(\w+) took it at step (\d+), and (\w+) was at work until step (\d+)$/,
    '$1 在第 $2 步加锁，$3，$4 在第 $5 步加锁，而 $6 到第 $7 步还在干活',
  ],
  [
    /^(\w+) released (\w+)'s lock: (?:(.+)[,，] ?)?(\w+) took it at step (\d+), (\w+)'s (\S+) at step (\d+) removed it$/,
    '$1 删了 $2 的锁：$3，$4 在第 $5 步加锁，$6 的 $7 在第 $8 步把它删掉',
  ],
  [
    /^(\w+) released (\w+)'s lock: (?:(.+)[,，] ?)?(\w+) took it at step (\d+), (\w+)'s (\S+) at step (\d+) removed it; (\w+) entered while (\w+) was inside$/,
    '$1 删了 $2 的锁：$3，$4 在第 $5 步加锁，$6 的 $7 在第 $8 步把它删掉，$9 趁 $4 还在干活时进来了',
  ],
  [
    /^(\w+) renewed (\w+)'s lock: its (\S+) at step (\d+) reset the expiry$/,
    '$1 续了 $2 的锁：它的 $3 在第 $4 步重设了过期时间',
  ],
  [
    /^(\w+) was refused at step (\d+) although (\w+), whose lock it is, had (?:died|ended) at step (\d+), (\d+) ms before \(a lease is (\d+) ms\)$/,
    '$1 在第 $2 步被拒，而持锁的 $3 在第 $4 步就已结束，相隔 $5 毫秒（租期 $6 毫秒）',
  ],
  [
    /^(\w+) was refused at step (\d+) although (\w+), whose lock it is, had (?:died|ended) at step (\d+)$/,
    '$1 在第 $2 步被拒，而持锁的 $3 在第 $4 步就已结束',
  ],
  [
    /^(\w+) was refused at step (\d+) although (\w+) had ended at step (\d+): its session keeps the named lock$/,
    '$3 在第 $4 步就已结束，它的会话仍占着命名锁，$1 在第 $2 步被拒绝',
  ],
  [
    /^(\w+) was refused as stale at step (\d+) although no other request had taken a step since its first, (\d+): no holder is newer, and the fencing tokens do not increase$/,
    '$1 从第 $3 步开始后没有其他请求动过，却在第 $2 步被当作过期的持有者拒绝：没有更新的持有者，栅栏令牌没有递增',
  ],
  [/^(\w+) gave up waiting although the lock was free$/, '锁已经空闲，$1 却放弃了等待'],
  [/^(\w+) waited for a lock that it holds itself$/, '$1 在等自己持有的锁'],
  [
    /^(\w+) waits forever: no actor can proceed, and no timeout is pending$/,
    '$1 永远等待：没有请求能继续，也没有超时',
  ],
  [
    /^(\w+)'s (\S+) at step (\d+) waited for a lock until its time-out: the host of (.+) is down since step (\d+), .+$/,
    '$1 的 $2（第 $3 步）等锁直到超时：$4 的主机在第 $5 步断电，数据库一直保留它的会话，直到 TCP keepalive 或 wait_timeout 才断开',
  ],
  [
    /^(\w+) kept waiting although the lock was released at step (\d+): it was not notified$/,
    '锁在第 $2 步已经释放，$1 没收到通知，还在等',
  ],
  [/^message for order (\d+), (\d+) times: by (.+)$/, '订单 $1 的短信发了 $2 次：$3'],
  [/^run of period (\d+), (\d+) times: by (.+)$/, '周期 $1 的任务跑了 $2 次：$3'],
  [/^order with number (\d+), (\d+) times: by (.+)$/, '订单号 $1 用了 $2 次：$3'],
  [
    /^(\S+) has no expiry: when it has reached the limit, the client is refused for ever$/,
    '$1 没有过期时间：计数到上限后，客户端永远被拒',
  ],
  [
    /^(?:(an earlier request) and )?(.+) were admitted in one window; the limiter promises (\d+) at most$/,
    '同一个窗口放行了$1、$2，而限流器承诺最多 $3 个',
  ],
  // the mechanism of a schedule
  [/^nothing kept (\w+) and (\w+) apart$/, '没有什么把 $1 和 $2 隔开'],
  [/^the lock (\S+) ended at step (\d+); no owner of it is known$/, '锁 $1 在第 $2 步结束，它的持有者不明'],
  [/^the mutex of process (\w+) does not exist in process (\w+)$/, '进程 $1 的互斥锁在进程 $2 里不存在'],
  [/^only one of them had the lock$/, '两者只有一个拿到了锁'],
  [/^the locks did not exclude each other$/, '两把锁互不排斥'],
  [
    /^(.+) while (\w+) was at work, and (\w+) took the lock \(step (\d+)\)$/,
    '$1，这时 $2 还在干活，$3 加了锁（第 $4 步）',
  ],
  [
    /^(\w+) released its lock \(step (\d+)\) before its COMMIT \(step (\d+)\)$/,
    '$1 先解锁（第 $2 步），后 COMMIT（第 $3 步）',
  ],
  [/^(\w+) read before it had the lock \(step (\d+)\)$/, '$1 在加锁（第 $2 步）之前就读了'],
  [/^(\w+) read before it locked the row \(step (\d+)\)$/, '$1 在锁行（第 $2 步）之前就读了'],
  [
    /^(\w+) read after it had locked the row, but from the snapshot that its transaction took earlier$/,
    '$1 锁行之后才读，读的却是事务更早拍下的快照',
  ],
  [
    /^(\w+) read under its lock, but from the snapshot that its transaction took earlier$/,
    '$1 持锁时读，读的却是事务更早拍下的快照',
  ],
  [
    /^(\w+) read (-?\d+) \(step (\d+)\) before (\w+) committed (-?\d+) \(step (\d+)\)$/,
    '$1 读到 $2（第 $3 步），之后 $4 才提交 $5（第 $6 步）',
  ],
  [
    /^(\w+) read (-?\d+) \(step (\d+)\) after (\w+) committed (-?\d+) \(step (\d+)\)$/,
    '$1 读到 $2（第 $3 步），而 $4 早已提交 $5（第 $6 步）',
  ],
];

/** Says a phrase of a slide or of an event in Chinese. What it does not know stays as it is: `slide.spec.ts` finds that in slides of lessons. */
export function inChinese(phrase: string): string {
  const [, sign = '', text = ''] = /^([✗⊘!✓?] )?(.*)$/s.exec(phrase) ?? [];
  return `${sign}${headedOf(text) ?? saidOf(text)}`;
}

/** `DATA WRONG: oversold, overlap`, or `oversold: 2 sold of 1: …`; undefined: the phrase does not begin so. */
function headedOf(text: string): string | undefined {
  const [first = '', ...rest] = text.split(': ');
  const mark = MARK_WORDS.get(first.toLowerCase());
  const kind = kindOf(first);
  const tail = rest.join(': ');
  if (mark === undefined && kind === undefined) return undefined;
  const head = mark ?? `${kind ?? ''}（${first}）`;
  if (tail === '') return head;
  const kinds = tail.split(', ').map(kindOf);
  return `${head}：${kinds.every((one) => one !== undefined) ? kinds.join('、') : saidOf(tail)}`;
}

const kindOf = (name: string): string | undefined =>
  Object.hasOwn(KINDS, name) ? KINDS[name as AnyViolationKind] : undefined;

/** A phrase, or several that a semicolon joins. */
function saidOf(text: string): string {
  const prepared = FRAGMENTS.reduce((said, [pattern, words]) => said.replace(pattern, words), text);
  const found = PHRASES.find(([pattern]) => pattern.test(prepared));
  if (found !== undefined) return tidy(prepared.replace(...found));
  const parts = text.split('; ');
  return parts.length === 1 ? prepared : parts.map(saidOf).join('；');
}

/** Removes what an absent part of a phrase leaves, and translates the rest. */
const tidy = (text: string): string =>
  text
    .replace('an earlier request', '更早的一个请求')
    .replace('放行了、', '放行了 ')
    .replace(/([：，])，/g, '$1')
    .replace(/^([\w-]+): /, '$1：')
    .replace(/ and /g, '、');
