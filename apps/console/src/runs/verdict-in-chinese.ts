import { inChinese } from '#lab/explore';
import { cartReasonInChinese, MARKS, mechanismInChinese, reasonInChinese } from '#lab/verdict';
import type { SavedVerdict } from '#load-tests/results';
import type { z } from 'zod';
import type { runVerdict } from './schemas';

/** The sentences of a verdict on a load run in Chinese, from its data; undefined: a drill, or a folder of an older version. */
export function verdictInChinese(verdict: SavedVerdict): z.infer<typeof runVerdict>['inChinese'] {
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

function headlineOf(
  { verdict, mark, kind, initial, sold }: SavedVerdict,
  because: readonly string[],
): string {
  if (verdict === 'unknown') return `无法判定：${because.join('；')}`;
  const isKnown = Object.hasOwn(MARKS, mark);
  const words =
    verdict === 'safe' ? '安全' : isKnown ? inChinese(MARKS[mark as keyof typeof MARKS].words) : mark;
  const moved = kind === 'stock' ? `库存 ${initial}，卖出 ${sold}` : `记账 ${Math.abs(sold)}`;
  return `${words}：${moved}`;
}
