import { inChinese } from '#lab/explore';
import {
  cartReasonInChinese,
  MARKS,
  mechanismInChinese,
  reasonInChinese,
  type BalanceKind,
  type CartReason,
  type DrillReason,
  type DrillVerdict,
  type LoadMechanism,
  type LoadVerdict,
  type Reason,
} from '#lab/verdict';

/** The data of the sentences. A folder of an older version does not have all of it. */
interface VerdictData extends Pick<LoadVerdict, 'verdict' | 'initial' | 'sold'> {
  readonly mark: string;
  readonly kind?: BalanceKind | undefined;
  readonly reasons?: readonly Reason[] | undefined;
  readonly cartReasons?: readonly CartReason[] | undefined;
  readonly mechanism?: string | null | undefined;
  readonly collision?: LoadMechanism | null | undefined;
}

interface ChineseSentences {
  readonly headline: string;
  readonly because: readonly string[];
  readonly mechanism?: string;
}

/** The sentences of a verdict on a load run in Chinese, from its data; undefined: some of the data is missing. */
export function verdictInChinese(verdict: VerdictData): ChineseSentences | undefined {
  const { kind, reasons, cartReasons, collision, mechanism } = verdict;
  const hasMechanism = typeof mechanism === 'string';
  if (kind === undefined || reasons === undefined || (hasMechanism && !collision)) return undefined;
  try {
    const because = cartReasons?.map(cartReasonInChinese) ?? [
      ...new Set(reasons.map((reason) => reasonInChinese(reason, kind))),
    ];
    return {
      headline: headlineOf(verdict, because),
      because,
      ...(hasMechanism && collision && { mechanism: mechanismInChinese(collision) }),
    };
  } catch {
    return undefined; // another version has saved other data
  }
}

/** The sentences of a verdict on a drill in Chinese, from its data; undefined: some of the data is missing. */
export function drillVerdictInChinese({
  reasons,
  ...verdict
}: Pick<DrillVerdict, 'verdict' | 'sold'> & {
  readonly mark: string;
  readonly initial: number;
  readonly reasons?: readonly DrillReason[] | undefined;
}): ChineseSentences | undefined {
  if (reasons === undefined) return undefined;
  const because = reasons.map(drillReasonInChinese);
  return { headline: headlineOf({ ...verdict, kind: 'stock' }, because), because };
}

function drillReasonInChinese(reason: DrillReason): string {
  switch (reason.code) {
    case 'no-facts':
      return '演练没有给出任何前提';
    case 'fact-does-not-hold':
      return `这个前提不成立：${reason.fact}`;
    case 'too-few-buyers':
      return '参与的买家不到两个';
    case 'unfinished':
      return `${reason.buyer} 没有结束`;
    case 'violation':
      return inChinese(reason.sentence);
  }
}

function headlineOf({ verdict, mark, kind, initial, sold }: VerdictData, because: readonly string[]): string {
  if (verdict === 'unknown') return `无法判定：${because.join('；')}`;
  const isKnown = Object.hasOwn(MARKS, mark);
  const words =
    verdict === 'safe' ? '安全' : isKnown ? inChinese(MARKS[mark as keyof typeof MARKS].words) : mark;
  const moved = kind === 'stock' ? `库存 ${initial}，卖出 ${sold}` : `记账 ${Math.abs(sold)}`;
  return `${words}：${moved}`;
}
