/**
 * A number with its noun: `1 unit`, `1,000 units`; `count(2, 'entry', 'entries')`. It is in this library because all
 * other libraries may import it.
 */
export const count = (n: number, singular: string, plural = `${singular}s`): string =>
  `${n.toLocaleString('en')} ${n === 1 ? singular : plural}`;
