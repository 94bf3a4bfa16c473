import type { Contradiction } from '../chain';
import type { BalanceKind } from './balance-words';
import type { CartReason } from './carts';
import type { LoadMechanism } from './mechanism';
import type { Reason } from './reason';
import type { Protection } from './refusals';

/** One reason as a clause in Chinese, from its data: the counterpart of `reasonText`. */
export function reasonInChinese(reason: Reason, kind: BalanceKind): string {
  const isStock = kind === 'stock';
  const movement = isStock ? '流水' : '记账';
  switch (reason.code) {
    case 'oversold':
      return isStock ? `超卖 ${reason.units} 件` : `透支 ${reason.units} 个单位`;
    case 'lost-update': {
      const sellers = (reason.duplicate?.sales ?? [])
        .slice(0, 2)
        .map(({ request, replica }) => `${replica} 上的 ${request}`);
      const lost = `丢失 ${reason.updates} 次更新：${isStock && !reason.credits ? '已售出，库存却没有扣' : '已记账，余额却没有变'}`;
      return reason.duplicate === null
        ? lost
        : `${lost}；${sellers.join(' 和 ')} 写入了同一个余量 ${reason.duplicate.value}`;
    }
    case 'overlap':
      return `同一把锁有 ${reason.times} 次同时被两个持有者使用`;
    case 'foreign-release':
      return foreignText('删掉', reason.releases);
    case 'foreign-renewal':
      return foreignText('续期', reason.renewals);
    case 'stuck':
      return `${reason.keys.join('、')} 永不结束，也没有请求会再释放它`;
    case 'refused-with-stock':
      return isStock
        ? `还有库存，却有 ${reason.buyers} 个买家被告知售罄`
        : `余额足够，却有 ${reason.buyers} 笔扣款被拒绝`;
    case 'leaked':
      return reason.credits
        ? `余额里有 ${reason.units} 个单位没有对应的记账`
        : `${isStock ? '库存' : '余额'}少了 ${reason.units} ${isStock ? '件' : '个单位'}，却没有对应的${movement}`;
    case 'movement-without-order':
      return `${reason.requests.length} 条流水没有${isStock ? '订单' : '确认'}，例如 ${first(reason.requests)}`;
    case 'order-without-movement':
      return `${reason.requests.length} 个${isStock ? '订单' : '确认'}没有流水，例如 ${first(reason.requests)}`;
    case 'applied-without-rows':
      return `${reason.requests.length} 个请求得到 APPLIED，却没有${isStock ? '订单或流水' : '流水'}，例如 ${first(reason.requests)}`;
    case 'sold-but-refused':
      return `${reason.requests.length} 个请求已成交，却被告知没有成交，例如 ${first(reason.requests)}`;
    case 'key-with-orders':
      return `${reason.keys.length} 个 Idempotency-Key 有不止一个订单，例如 ${first(reason.keys)}`;
    case 'other-units':
      return `${reason.requests.length} 个请求的流水件数与下单件数不同，例如 ${first(reason.requests)}`;
    case 'unavailable':
      return `${reason.server} 宕机期间没有${isStock ? '订单' : '记账'}成功`;
    case 'dead-lock': {
      const [cycle] = reason.cycles;
      const waits = (cycle?.waiters ?? []).map(({ request, waitsFor }) => `${request} 等 ${waitsFor}`);
      return `${reason.cycles.length} 次死锁：请求互相等待，例如 ${waits.join('，')}`;
    }
    case 'torn-cart':
      return `${reason.requests.length} 个购物车只成交了一部分，例如 ${first(reason.requests)}`;
    case 'exact':
      return isStock && !reason.credits ? '有竞争，每件都只卖出一次' : '有竞争，每笔记账都在余额里';
    case 'refused-stale': {
      const statement = reason.refusals.find((refusal) => refusal.statement !== null)?.statement;
      return statement === undefined || statement === null
        ? `${reason.refusals.length} 个过期的请求被拒绝：持有者自己发现锁已丢失`
        : `${reason.refusals.length} 个过期的请求被行拒绝：${statement} 没有改动任何行`;
    }
    case 'lease-outpaced': {
      const [found] = reason.outpaced;
      return found === undefined
        ? ''
        : `${found.leaseMs} 毫秒的租期对这台机器太短：${found.replica} 上的 ${found.request} 在租期结束 ${found.lateMs.toFixed(1)} 毫秒之后才写入（共 ${reason.outpaced.length} 个请求）；效果等同于停顿，请使用更长的租期`;
    }
    case 'no-contention':
      return reason.acrossReplicas ? '没有两个请求在不同实例上同时运行' : '实例里没有两个请求同时运行';
    case 'fault-not-fired':
      return `故障 ${reason.fault} 没有触发`;
    case 'fault-not-witnessed':
      return `没有其他进程观察到故障 ${reason.fault}`;
    case 'fault-missed-holder':
      return `${reason.fault} 触发时 ${reason.request} 没有持锁`;
    case 'fault-without-waiters':
      return `${reason.fault} 触发时没有其他请求在运行`;
    case 'not-at-rest':
      return reason.running.length === 0
        ? '读取数据库的行时还有请求在运行'
        : `${reason.running.length} 个请求没有结束，例如 ${first(reason.running)}`;
    case 'nothing-sold':
      return isStock ? `库存 ${reason.initial}，一件也没有卖出` : '没有任何记账';
    case 'undocumented-answers':
      return `${reason.answers} 个应答不在商店的文档里，例如 ${reason.example}`;
    case 'refused-by-servers':
      return `${reason.buyers} 个请求得到 DEPENDENCY.DOWN，而${isStock ? '库存' : '余额'}足够，压测也没有停止任何服务器`;
    case 'server-not-needed':
      return `${reason.server} 宕机，但没有请求用到它`;
    case 'history-dropped':
      return `${reason.replicas.join('、')} 的历史记录缺少开头：丢弃了 ${reason.bytes.toLocaleString('en')} 字节（HISTORY_LIMIT_MB）`;
    case 'reused-request-ids':
      return `${reason.requests} 个请求重复使用了别的请求的 id`;
    case 'commands-without-order':
      return `${reason.commands} 条锁命令在服务器上的先后位置未知`;
    case 'broken-chain':
      return contradictionText(reason.contradiction);
  }
}

/** One reason of a run of carts in Chinese, with its products. */
export function cartReasonInChinese({ reason, skus }: CartReason): string {
  const text = reasonInChinese(reason, 'stock');
  return skus.length === 0 ? text : `${skus.join(' 和 ')}：${text}`;
}

const first = ([item = '']: readonly string[]): string => item;

function foreignText(
  verb: string,
  found: readonly { readonly by: string; readonly owner: string }[],
): string {
  const [pair] = found;
  const more = found.length > 1 ? `，这样的共 ${found.length} 次` : '';
  return pair === undefined ? '' : `${pair.by} ${verb}了 ${pair.owner} 的锁${more}`;
}

function contradictionText({ kind, requests }: Contradiction): string {
  const named = requests.join(' 和 ');
  const text: Readonly<Record<Contradiction['kind'], string>> = {
    'not-a-sale': '流水里有不是售出的变动',
    'sold-twice': '卖出了同一件',
    gap: '之间的流水不连续：读到的值不是前一笔写下的值',
    order: '的先后与流水的顺序矛盾',
    final: '流水推算出的余额与实际余额不符',
  };
  return kind === 'final' || named === '' ? text[kind] : `${named} ${text[kind]}`;
}

/** What serialized requests, in Chinese: the counterpart of `protectionText`. */
export function protectionInChinese(protection: Protection): string {
  const requests = `${protection.requests} 个请求`;
  switch (protection.code) {
    case 'deadlock-victim':
      return `数据库为解开死锁放弃了 ${requests}`;
    case 'mutex':
      return `${requests}等过本进程的互斥锁`;
    case 'lock':
      return `${requests}等过锁`;
    case 'row-lock':
      return `${requests}锁了行：${protection.statement}`;
    case 'named-lock':
      return `${requests}在数据库里等待：GET_LOCK`;
    case 'refused':
      return `${requests}被 ${protection.statement} 拒绝`;
  }
}

/** How one unit was sold twice, in Chinese: the counterpart of `mechanismText`. */
export function mechanismInChinese({ cause, early, late }: LoadMechanism): string {
  return (
    `${causeText(cause)}；${late.request} 读到 ${late.read}（${ms(late.atMs)}），` +
    `之后 ${early.request} 才提交 ${early.committed}（${ms(early.atMs)}）`
  );
}

function causeText(cause: LoadMechanism['cause']): string {
  switch (cause.code) {
    case 'overlap': {
      const lease =
        cause.lease === null
          ? '还在干活'
          : `的业务耗时 ${cause.lease.workMs} 毫秒，超过租期 ${cause.lease.leaseMs} 毫秒，还没有干完`;
      return `${cause.first} ${lease}，${cause.second} 就拿到了锁`;
    }
    case 'other-mutex':
      return `${cause.replica} 的互斥锁在 ${cause.other} 里不存在`;
    case 'read-before-row-lock':
      return '值是在锁行之前读的';
    case 'earlier-snapshot':
      return '值来自事务在锁行之前拍下的快照';
    case 'not-covered':
      return '锁没有覆盖读取或 COMMIT';
    case 'unprotected':
      return '没有什么把这两个请求隔开';
  }
}

const ms = (value: number): string => `第 ${value.toFixed(1)} 毫秒`;
