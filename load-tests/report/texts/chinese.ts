import { inChinese } from '#lab/explore';
import { protectionInChinese, type BalanceKind, type BalanceWords } from '#lab/verdict';
import { markup } from '../markup';
import { verdictInChinese } from '../verdict-in-chinese';
import type { FaultWitness, ReportTexts } from './english';

const SALES: BalanceWords = {
  balance: '库存',
  moved: '售出',
  movement: '销售',
  movements: '销售',
  overtaken: '超卖',
  order: '订单',
  anOrder: '订单',
};
const DEBITS: BalanceWords = {
  balance: '余额',
  moved: '扣款',
  movement: '记账',
  movements: '记账',
  overtaken: '透支',
  order: '确认',
  anOrder: '确认',
};
const CREDITS: BalanceWords = { ...DEBITS, moved: '入账' };

const wordsOf = (kind: BalanceKind, credits: boolean): BalanceWords =>
  kind === 'stock' ? SALES : credits ? CREDITS : DEBITS;

const kinds = (names: readonly string[]): string => names.map(inChinese).join('、');

const WITNESSES: Readonly<Record<FaultWitness, string>> = {
  'the supervisor: it ended by SIGKILL': '监管进程：它被 SIGKILL 结束',
  'its successor': '接替它的进程',
  'the supervisor: state T': '监管进程：状态 T',
  'the helper: state T': '辅助进程：状态 T',
  'the step that it hit': '它命中的步骤',
};

export const chinese: ReportTexts = {
  htmlLanguage: 'zh-CN',
  otherLanguage: { name: 'English', htmlLanguage: 'en' },
  words: wordsOf,
  sentencesOf: (verdict) => ({
    headline: verdict.headline,
    because: verdict.because,
    mechanism: verdict.mechanism,
    ...verdictInChinese(verdict),
    protectedBy: verdict.protections.map(protectionInChinese),
  }),
  colon: '：',
  end: '。',
  none: '无',

  how: '原因：',
  protectedBy: '起保护作用的是：',
  asExpected: '与方案说明一致',
  notAsExpected: '方案说明中没有这种结果',
  expectation: (strategy, must, may) =>
    `：${strategy}（说明：${must.length === 0 ? '没有违规' : kinds(must)}${may.length === 0 ? '' : `；还可能出现${kinds(may)}`}）。`,
  numbers: {
    initial: ({ balance }) => `初始${balance}`,
    moved: ({ moved }) => `${moved}数量`,
    final: ({ balance }) => `剩余${balance}`,
    overtaken: ({ overtaken }) => `${overtaken}数量`,
    lostUpdates: '丢失的更新',
    duplicates: (isStock) => (isStock ? '卖了两次的余量' : '相同的新余额'),
    overlaps: '两个持有者',
    foreignReleases: '误删别人的锁',
    foreignRenewals: '续了别人的锁',
    stuckLocks: '卡死的锁',
    deadLocks: '死锁',
    orphans: '孤儿数据',
    undecided: '先后未知的命令',
    refusals: '过期被拒',
    outage: '中断时间',
    perSecond: '请求/秒',
    medianLatency: '延迟中位数',
    longest: '最长',
  },
  parameters: '参数',
  conditions: '运行条件',

  drill: {
    lead: (shows, certainBy) => `${shows}。结果是确定的，因为${certainBy}。`,
    initial: '初始库存',
    sold: '卖出',
    final: '剩余库存',
    answers: '买家得到的应答',
    facts: '前提',
    howFacts: '由服务器或内核报告；只要有一个前提不成立，结论就是“无法判定”。',
    not: '✗ 不成立：',
    figures: '数字',
    timeline: '时间线',
    drill: '演练',
    nothing: '没有记录到任何事件。',
    how: '演练、每个买家和每台服务器各一列。时间从上往下，是第一个事件以来的毫秒数，行距不代表时长。被扣住的买家停在原处，直到演练放行。鼠标移到一行上可以看到全文。',
  },

  more: (rows) => `其余 ${rows} 行见 verdict.json`,
  onReplica: (request, replica) => markup`${replica} 上的 ${request}`,
  sellers: (named, more) =>
    markup`${named.map((one, i) => markup`${i > 0 && '、'}${one}`)}${more > 0 && ` 等 ${named.length + more} 个`}`,
  duplicates: (values, isStock) =>
    isStock ? `卖了不止一次的余量：${values} 个` : `相同的新余额：${values} 个`,
  overlaps: (times) => `同一把锁有两个持有者：${times} 次`,
  foreignReleases: (times) => `误删别人的锁：${times} 次`,
  foreignRenewals: (times) => `续了别人的锁：${times} 次`,
  stuckLocks: '没有过期时间的锁',
  orphans: (movements, { anOrder }) => `没有${anOrder}的流水：${movements} 条`,
  refusals: (requests) => `过期被拒：${requests} 个请求`,
  noRowChanged: (statement) => markup`${statement}：没有改动任何行`,
  refusedByHolder: '持有者自己：它发现锁已丢失',
  faults: (outage) => `触发过的故障${outage === undefined ? '' : `；${outage} 之后锁再次被拿到`}`,
  witness: (seenBy) => WITNESSES[seenBy],
  noWitness: '没有其他进程',
  outcomes: '应答',
  openLoop: (perSecond, asked, asAsked) =>
    `开环：要求每秒 ${asked} 个请求，实际发出 ${perSecond} 个${asAsked ? '' : '，没有达到要求的速率'}`,
  sinceDue: '应发出的时刻',
  sinceSend: '实际发出的时刻（未校正）',
  yes: '是',
  no: '否',
  heads: {
    left: (isStock) => (isStock ? '余量' : '余额'),
    moved: ({ moved }) => `${moved}次数`,
    by: '请求',
    atWork: '还在干活',
    taker: '拿到锁',
    lock: '锁',
    deletedBy: '删锁的请求',
    renewedBy: '续期的请求',
    owner: '锁的持有者',
    value: '值',
    request: '请求',
    answer: '应答',
    refusedBy: '被谁拒绝',
    fault: '故障',
    step: '所在步骤',
    ofRequest: '所在请求',
    held: '当时持锁',
    seenBy: '观察到的进程',
    code: '代码',
    status: '状态码',
    answers: '应答数',
    share: '占比',
    median: '中位数',
    longest: '最长',
    since: '延迟的起点',
  },

  time: (unit) => `压测开始以来的时间（${unit === 's' ? '秒' : '毫秒'}）`,
  fired: (fault, replica, request) => `${fault} 在 ${replica} 上的请求 ${request} 中触发`,
  noAnswers: '没有记录到应答。',
  stock: {
    heading: ({ balance }) => `${balance}随时间的变化`,
    nothing: ({ moved }) => `没有任何${moved}。`,
    how: ({ movement, movements, balance }, initial, final) =>
      `每个点是一次${movement}：横轴是它提交的时刻，纵轴是请求算出的${balance}。线是初始的 ${initial} 加上到那时为止的所有${movements}；不在线上的点，是互相看不见的${movements}。表中最终的${balance}：${final}。`,
    thinned: ({ movements }, all, every) =>
      `${all} 次${movements}中每 ${every} 次画一个点，有标记的全部画出。`,
    left: ({ balance }) => `剩余${balance}`,
    inOrder: ({ movements }) => `${movements}，按写入的顺序（没有历史记录）`,
    dot: ({ moved }, after, request, replica, at) =>
      `余 ${after}，由 ${replica} 上的 ${request} ${moved}，时刻 ${at}`,
    overtakenDot: ({ overtaken }) => `；${overtaken}`,
    duplicateDot: ({ movements }) => `；不止一次${movements}留下这个值`,
    truth: ({ movements }) => `初始值加上所有${movements}`,
    duplicate: ({ movements }) => `不止一次${movements}留下的值`,
    overtaken: ({ overtaken, balance }) => `${overtaken}：已经没有${balance}`,
  },
  lanes: {
    holders: '锁的持有者随时间的变化',
    requests: '请求随时间的变化',
    nothing: '这次压测没有历史记录，不知道锁的持有者。',
    about: {
      fault: '第一次故障',
      overlap: '第一次有两个持有者的时刻',
      'foreign-release': '第一次误删别人的锁',
      duplicate: '第一个由两个请求留下的值',
      overtaken: '第一次超出初始数量的时刻',
      beginning: '压测的开始',
      present: '现在',
    },
    how: (isHeld, { balance, movement }) =>
      `每个条是${isHeld ? '一次持锁的时间' : '发给方案的一个请求（它在 Redis 里没有锁）'}，每个实例一行；条里的数字是这次${movement}之后的${balance}。`,
    part: (drawn, all, about) => `共 ${all} 个，这里画出${about}前后的 ${drawn} 个。`,
    bar: (request, replica, from, until) =>
      `${replica} 上的 ${request}：${until === undefined ? `${from} 毫秒起，没有结束` : `${from} 到 ${until} 毫秒`}`,
    movedNothing: ({ moved }) => `，没有${moved}`,
    moved: ({ moved }, after) => `，${moved}，余 ${after}`,
    clash: (first, second) => `${first} 还在干活，${second} 就拿到了锁`,
    gap: (replica, kind, ms) =>
      kind === 'paused' ? `${replica} 停顿了 ${ms} 毫秒` : `${replica} 已崩溃，${ms} 毫秒没有运行`,
    oneOfTwo: '两个持有者之一',
    collided: ({ moved }, value) => `都${moved}并留下同一个值 ${value}`,
    twoHolders: '两个持有者同时持锁',
    neverReleased: '没有释放',
    neverAnswered: '没有应答',
    lingering: '持有者已结束，锁还在',
    paused: '停顿',
    dead: '已崩溃',
  },
  outcomesOverTime: {
    heading: '应答随时间的变化',
    how: '买家得到的应答，按应答的时刻。',
    bin: (answers, code, from, until) => `${from} 到 ${until} 毫秒：${answers} 个 ${code}`,
    perBin: (ms) => `每 ${ms} 毫秒的应答数`,
  },
  latency: {
    heading: '各种应答的延迟',
    how: '每个点是一个应答（在行内的高度没有含义）。方框是中间一半，粗线是中位数，细线是 p99。',
    axis: '得到应答的时间（毫秒，对数坐标）',
    answers: (answers) => `${answers} 个应答`,
    row: (code, median, p99, longest) => `${code}：中位数 ${median}，p99 ${p99}，最长 ${longest}`,
  },
};
