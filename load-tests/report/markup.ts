/** Text that is HTML already. Everything else is escaped on its way into a page. */
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

/** A template tag: values are escaped unless they are `Markup`; lists are joined; null and false are nothing. */
export const markup = (strings: TemplateStringsArray, ...values: readonly Value[]): Markup =>
  new Markup(strings.map((text, i) => text + toText(values[i])).join(''));

function toText(value: Value): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(toText).join('');
  return escape(typeof value === 'number' ? compact(value) : value);
}

/** At most two decimals: coordinates need no more. */
const compact = (value: number): string => String(Math.round(value * 100) / 100);

/** `text`, cut to `most` characters with an ellipsis. */
export const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`;
