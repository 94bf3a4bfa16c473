/** Text that is HTML already; `markup` escapes everything else. */
export class Markup {
  constructor(readonly text: string) {}
}

type Value = string | number | Markup | null | undefined | false | readonly Value[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/** A template tag: escapes values that are not `Markup`, joins lists, omits null, undefined and false. */
export const markup = (strings: TemplateStringsArray, ...values: readonly Value[]): Markup =>
  new Markup(strings.map((text, i) => text + toText(values[i])).join(''));

function toText(value: Value): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(toText).join('');
  return escape(typeof value === 'number' ? compact(value) : value);
}

/** At most two decimals: enough for coordinates, and a smaller page. */
const compact = (value: number): string => String(Math.round(value * 100) / 100);

/** `text`, shortened to `most` characters with an ellipsis. */
export const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`;
