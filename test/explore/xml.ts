export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** The text of the element and of the elements in it. */
  readonly text: string;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** Parses the XML of a drawing: elements, quoted attributes, text and the four entities. Throws if it is not well-formed. */
export function elementsOf(xml: string): XmlElement[] {
  const elements: { name: string; attributes: Record<string, string>; text: string }[] = [];
  const open: (typeof elements)[number][] = [];
  const token = /<(\/?)([\w:-]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/y;
  while (token.lastIndex < xml.length) {
    const at = token.lastIndex;
    const [, closes, name, attributes = '', isEmpty, text] = token.exec(xml) ?? [];
    if (text !== undefined) {
      for (const element of open) element.text += decode(text);
      if (open.length === 0 && text.trim() !== '') throw new Error(`text outside the root: ${text}`);
    } else if (name === undefined) throw new Error(`not well-formed: ${xml.slice(at, at + 60)}`);
    else if (closes === '/') {
      if (open.pop()?.name !== name) throw new Error(`</${name}> closes nothing`);
    } else {
      const element = { name, attributes: readAttributes(attributes), text: '' };
      if (open.length === 0 && elements.length > 0) throw new Error('there are two roots');
      elements.push(element);
      if (isEmpty !== '/') open.push(element);
    }
  }
  if (open.length > 0) throw new Error(`<${open.at(-1)?.name ?? ''}> is not closed`);
  return elements;
}

const readAttributes = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/([\w:-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, decode(value)]),
  );

const decode = (text: string): string =>
  text.replace(/&(\w*);?/g, (entity, name: string) => {
    const character = ENTITIES[name];
    if (character === undefined || !entity.endsWith(';')) throw new Error(`unknown entity ${entity}`);
    return character;
  });

/** Width in a monospaced font, measured with DejaVu Sans Mono, which has all signs of a slide. */
export const widthOf = (text: string, size: number): number => Array.from(text).length * size * 0.602;
