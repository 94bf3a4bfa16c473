/** Maps values to pixels; `ticks` are the values that get a label. */
export interface Scale {
  (value: number): number;
  readonly ticks: readonly number[];
  readonly label: (value: number) => string;
}

type Pair = readonly [number, number];

/** The smallest of 1, 2 and 5 times a power of ten that is not below `rough`. */
export function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough > 0 ? rough : 1));
  return ([1, 2, 5].find((factor) => factor * power >= rough * 0.999) ?? 10) * power;
}

/** A linear scale with about `count` ticks. */
export function linear([from, to]: Pair, [start, end]: Pair, count = 6): Scale {
  const span = to > from ? to - from : 1;
  const step = niceStep(span / count);
  const first = Math.ceil(from / step);
  const ticks = Array.from(
    { length: Math.floor(to / step + 1e-9) - first + 1 },
    (_, i) => (first + i) * step,
  );
  const scale = (value: number): number => start + ((value - from) / span) * (end - start);
  const decimals = Math.max(0, -Math.floor(Math.log10(step)));
  const label = (value: number): string =>
    value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return Object.assign(scale, { ticks, label });
}

/** A logarithmic scale between powers of ten, for values above zero. */
export function logarithmic([least, most]: Pair, [start, end]: Pair): Scale {
  const low = Math.floor(Math.log10(Math.max(least, 0.01)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(most, 0.01))));
  const scale = (value: number): number =>
    start + ((Math.log10(Math.max(value, 10 ** low)) - low) / (high - low)) * (end - start);
  const decades = Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
  const between = high - low <= 3 ? decades.slice(0, -1).flatMap((d) => [2 * d, 5 * d]) : [];
  const label = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 2 });
  return Object.assign(scale, { ticks: [...decades, ...between], label });
}

/** A linear scale of milliseconds, labeled in seconds from a span of 3 s. `unit` belongs into the axis title. */
export function time(domain: Pair, range: Pair): Scale & { readonly unit: 's' | 'ms' } {
  const seconds = domain[1] - domain[0] >= 3000;
  const factor = seconds ? 1000 : 1;
  const inner = linear([domain[0] / factor, domain[1] / factor], range, 8);
  const scale = (value: number): number => inner(value / factor);
  return Object.assign(scale, {
    ticks: inner.ticks.map((tick) => tick * factor),
    label: (value: number) => inner.label(value / factor),
    unit: seconds ? ('s' as const) : ('ms' as const),
  });
}
