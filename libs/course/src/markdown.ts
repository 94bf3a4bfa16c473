import MarkdownIt, { type Token } from 'markdown-it';

/** Our own pages only: their HTML (`<details>`) is kept as it is. */
const markdown = new MarkdownIt({ html: true });

/** Chinese characters and their punctuation: words are not separated by spaces. */
const WIDE = /[\u2e80-\u9fff\uff00-\uffef\u2018-\u201d]/u;

/** Their punctuation only: no space is written beside it. */
const WIDE_PUNCTUATION = /[\u3001\u3002\u3008-\u3011\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f]/u;

/** What a line break between two characters of a paragraph means: a space, but not between Chinese characters. */
export const lineBreak = (before: string, after: string): '' | ' ' =>
  (WIDE.test(before) && WIDE.test(after)) || WIDE_PUNCTUATION.test(before) || WIDE_PUNCTUATION.test(after)
    ? ''
    : ' ';

markdown.renderer.rules['softbreak'] = (tokens, i) => {
  const before = tokens.slice(0, i).findLast(({ content }) => content !== '')?.content ?? '';
  const after = tokens.slice(i + 1).find(({ content }) => content !== '')?.content ?? '';
  return lineBreak(before.slice(-1), after.slice(0, 1)) === '' ? '' : '\n';
};

/** A heading of the second level and the blocks under it. */
export interface MarkdownSection {
  readonly title: string;
  /** Markdown, without the heading. */
  readonly text: string;
}

/** A fenced code block. */
export interface CodeBlock {
  /** The first word after the fence, for example `sh`. */
  readonly language: string;
  /** The other words after the fence. */
  readonly attributes: readonly string[];
  readonly text: string;
}

/** Where links of a rendered page lead. */
export interface PageLinks {
  /** The page that shows the result of a command; undefined: none does. */
  readonly ofCommand: (command: string) => { readonly href: string; readonly label: string } | undefined;
  /** The address of a relative link; undefined: its text is rendered without a link. */
  readonly ofRelative: (href: string) => string | undefined;
}

/** Renders a page of ours as HTML. Blocks `sh` are followed by the link of their command. */
export function renderHtml(text: string, { ofCommand, ofRelative }: PageLinks): string {
  const tokens = markdown.parse(text, {});
  for (const { children } of tokens) if (children !== null) changeLinks(children, ofRelative);
  return tokens
    .map((token) => {
      const html = markdown.renderer.render([token], markdown.options, {});
      const isCommand = token.type === 'fence' && token.info.startsWith('sh');
      const link = isCommand ? ofCommand(token.content.trim()) : undefined;
      return link === undefined
        ? html
        : `${html}<p class="command-link"><a class="button" href="${escapeHtml(link.href)}">${escapeHtml(link.label)}</a></p>\n`;
    })
    .join('');
}

const { escapeHtml } = markdown.utils;

/** Replaces the addresses of relative links; a link without one becomes a span. A picture opens in a new tab. */
function changeLinks(tokens: Token[], ofRelative: PageLinks['ofRelative']): void {
  let isSpan = false;
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const href = String(token.attrGet('href') ?? '');
      const address = /^(https?:|#)/.test(href) ? href : ofRelative(href);
      isSpan = address === undefined;
      if (address !== undefined) token.attrSet('href', address);
      if (href.endsWith('.svg')) token.attrSet('target', '_blank'); // beside the lesson
    }
    if (isSpan && token.tag === 'a') {
      token.tag = 'span';
      token.attrs = null;
      if (token.type === 'link_close') isSpan = false;
    }
  }
}

/** The code blocks of a page, in order. */
export const codeBlocks = (text: string): CodeBlock[] =>
  markdown
    .parse(text, {})
    .filter(({ type }) => type === 'fence')
    .map(({ info, content }) => {
      const [language = '', ...attributes] = info.split(/\s+/).filter((word) => word !== '');
      return { language, attributes, text: content.replace(/\n$/, '') };
    });

/** The heading of the first level; undefined: there is none. */
export function titleOf(text: string): string | undefined {
  const tokens = markdown.parse(text, {});
  const at = tokens.findIndex((token) => isHeading(token, 'h1'));
  return at < 0 ? undefined : tokens[at + 1]?.content;
}

const isHeading = ({ type, tag, level }: Token, of: string): boolean =>
  type === 'heading_open' && tag === of && level === 0;

/** The sections of a page. Text before the first heading of the second level belongs to none. */
export function sectionsOf(text: string): MarkdownSection[] {
  const lines = text.split('\n');
  const tokens = markdown.parse(text, {});
  const starts = tokens.flatMap((token, i) =>
    isHeading(token, 'h2') && token.map !== null
      ? [{ title: tokens[i + 1]?.content ?? '', from: token.map[0], to: token.map[1] }]
      : [],
  );
  return starts.map(({ title, to }, i) => ({
    title,
    text: lines
      .slice(to, starts[i + 1]?.from)
      .join('\n')
      .trim(),
  }));
}
