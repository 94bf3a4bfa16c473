import {
  MARKS,
  harmOf,
  worstHarm,
  type Mark,
  type ScheduleEvent,
  type ScheduleHistory,
  type ScheduleVerdict,
  type StepEvent,
  markWords,
  type Language,
} from '#lab/verdict';
import { inChinese } from './chinese';
import { answerOf, conclusions, cut, eventText, hasCarts, lockRemarks, statementText } from './lanes';

/** What a slide shows besides the schedule. */
export interface SlideLabels {
  /** The command that runs the schedule again. */
  readonly command: string;
  readonly credit: string;
  /** The language of what is not a command, a reply or a code. */
  readonly language: Language;
}

const WIDTH = 1600;
const HEIGHT = 900;
const MARGIN = 40;
/** Title and names of the actors. */
const HEAD = 110;
const FOOT = 44;
/** Between two panels. */
const GAP = 32;
const HEADLINE_SIZE = 28;
const CONCLUSION_SIZE = 19;
const CONCLUSION_LINE = 26;
const MOST_CONCLUSIONS = 6;

/** Width of a character of a monospaced font, in its size. Characters beyond ASCII can come from another font. */
const ADVANCE = 0.61;
const WIDE = 1 / ADVANCE;

/** A lane must have room for so many characters; otherwise the font shrinks. */
const LANE_COLUMNS = 34;
/** In a lane with less room the remarks are shortened. */
const NARROW_COLUMNS = 45;
const MOST_FONT = 20;
const LEAST_FONT = 11;
const MOST_ROW = 36;

/** The first ones have all signs of a slide; the others are for Chinese. */
const FONTS =
  "'DejaVu Sans Mono', Menlo, Consolas, 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', monospace";
const INK = '#11151d';
const SOFT = '#4c5566';
const LANE_COLORS = ['#1447b8', '#9a4a00', '#00695c'];
const FAULT_FILL = '#fdf3cf';
const MARK_COLORS: Readonly<Record<Mark, { readonly ink: string; readonly fill: string }>> = {
  'data-wrong': { ink: '#b3151c', fill: '#fde7e7' },
  unavailable: { ink: '#7a1fa2', fill: '#f5e8fa' },
  'lock-broken': { ink: '#8a5a00', fill: '#fbeed3' },
  safe: { ink: '#14692f', fill: '#e4f4e8' },
  unknown: { ink: SOFT, fill: '#eceff3' },
};

/** Where the events are drawn: one or two panels beside each other, each with a lane for every actor. */
interface Layout {
  readonly panels: number;
  /** Rows of a panel. */
  readonly rows: number;
  readonly rowHeight: number;
  readonly font: number;
  readonly panelWidth: number;
  /** Width of the event numbers. */
  readonly numbers: number;
  readonly laneWidth: number;
  /** Says a phrase in the language of the slide. */
  readonly say: (phrase: string) => string;
}

/** Draws a schedule as an SVG image of 16:9 for a projector: lanes of the actors, faults across, the verdict below. */
export function drawSlide(
  played: ScheduleHistory,
  verdict: ScheduleVerdict,
  { command, credit, language }: SlideLabels,
): string {
  const say = language === 'zh' ? inChinese : (phrase: string) => phrase;
  const history = withNumberedIds(played);
  const below = conclusionLines(history, verdict, say);
  const bodyEnd = HEIGHT - FOOT - 12 - below.length * CONCLUSION_LINE - HEADLINE_SIZE - 16;
  const layout = { ...fit(history, bodyEnd - HEAD), say };
  const marks = marksOf(verdict);
  const holds = holdsOf(history);
  const mark = worstHarm(verdict.violations.map(({ kind }) => kind)) ?? 'safe';
  const kinds = [...new Set(verdict.violations.map(({ kind }) => kind))];
  const words = markWords(mark, kinds).toUpperCase();
  const headline = say(`${MARKS[mark].sign} ${words}${kinds.length === 0 ? '' : `: ${kinds.join(', ')}`}`);
  const title = say(titleOf(history));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" xml:lang="${language}" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" font-family="${FONTS}" role="img">`,
    `<title>${escape(`${title} ${headline}`)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    text(title, { x: MARGIN, y: 50, size: 32, weight: 700 }),
    ...(holds.some(({ size }) => size > 0) ? [text(say(LEGEND), LEGEND_STYLE)] : []),
    ...Array.from({ length: layout.panels }, (_, panel) => panelHead(history, layout, panel)).flat(),
    ...history.events.flatMap((event, i) =>
      row(history, event, i, layout, marks.get(event.n), holds[i] ?? new Set()),
    ),
    `<line x1="${MARGIN}" x2="${WIDTH - MARGIN}" y1="${bodyEnd + 4}" y2="${bodyEnd + 4}" stroke="#c9ced8"/>`,
    text(cutTo(headline, (WIDTH - 2 * MARGIN) / (HEADLINE_SIZE * ADVANCE)), {
      x: MARGIN,
      y: bodyEnd + HEADLINE_SIZE + 10,
      size: HEADLINE_SIZE,
      weight: 700,
      fill: MARK_COLORS[mark].ink,
    }),
    ...below.map((line, i) =>
      text(line, {
        x: MARGIN,
        y: bodyEnd + HEADLINE_SIZE + 12 + (i + 1) * CONCLUSION_LINE,
        size: CONCLUSION_SIZE,
      }),
    ),
    text(command, { x: MARGIN, y: HEIGHT - 16, size: 15, fill: SOFT }),
    text(credit, { x: WIDTH - MARGIN, y: HEIGHT - 16, size: 15, fill: SOFT, anchor: 'end' }),
    '</svg>',
    '',
  ].join('\n');
}

/** UUIDs, and the leases of etcd. */
const RANDOM_IDS = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<=")\d{12,20}(?=")/g;

/** Random ids become `id1`, `id2`, … in the order of their appearance, so that every replay draws the same slide. */
function withNumberedIds(history: ScheduleHistory): ScheduleHistory {
  const names = new Map<string, string>();
  const nameOf = (id: string): string => {
    const name = names.get(id) ?? `id${names.size + 1}`;
    names.set(id, name);
    return name;
  };
  const json = JSON.stringify(history).replace(RANDOM_IDS, nameOf);
  return JSON.parse(json) as ScheduleHistory;
}

/** `expiring: 2 buyers, 1 in stock`. Schedules of guards and limiters have no stock. */
function titleOf({ strategy, actors, stock, final }: ScheduleHistory): string {
  const hasStock = Object.keys(final.amounts).length > 0;
  return `${strategy}: ${actors.length} ${hasStock ? `buyers, ${stock} in stock` : 'requests'}`;
}

/** Stock, violations and summary, wrapped to the width of the slide. What is left out stands before the summary. */
function conclusionLines(history: ScheduleHistory, verdict: ScheduleVerdict, say: Layout['say']): string[] {
  const columns = (WIDTH - 2 * MARGIN) / (CONCLUSION_SIZE * ADVANCE);
  const headlines = Object.values(MARKS).map(({ sign, words }) => `${sign} ${words}`);
  const found = conclusions(history, verdict)
    .map((line) => line.trim())
    .filter((line) => !headlines.includes(line))
    .map((line) => wrap(say(line), columns));
  const lines = found.flat();
  if (lines.length <= MOST_CONCLUSIONS) return lines;
  const mechanism = found.at(-1) ?? [];
  return [...lines.slice(0, MOST_CONCLUSIONS - 1 - mechanism.length), '…', ...mechanism];
}

/** What stays on one line: a word, or a Chinese character with the punctuation around it. */
const PIECE = /\s*（?(?:[\u2e80-\u9fff]|[^\s\u2e80-\u9fff（，。；：、）]+)[，。；：、）]*/gu;

function wrap(line: string, columns: number): string[] {
  const lines: string[] = [];
  let current = '';
  for (const [piece] of line.matchAll(PIECE)) {
    const longer = `${current}${piece}`;
    if (columnsOf(longer) <= columns || current === '') current = longer;
    else {
      lines.push(current);
      current = `  ${piece.trimStart()}`;
    }
  }
  return [...lines, current].map((one) => cutTo(one, columns));
}

/** One panel, or two if that allows a larger font. */
function fit({ actors, events }: ScheduleHistory, height: number): Omit<Layout, 'say'> {
  const layouts = [1, 2].map((panels): Omit<Layout, 'say'> => {
    const rows = Math.max(1, Math.ceil(events.length / panels));
    const rowHeight = Math.min(MOST_ROW, height / rows);
    const panelWidth = (WIDTH - 2 * MARGIN - (panels - 1) * GAP) / panels;
    const numbers = 46;
    const laneWidth = (panelWidth - numbers) / actors.length;
    const font = Math.min(MOST_FONT, rowHeight * 0.68, laneWidth / (LANE_COLUMNS * ADVANCE));
    return { panels, rows, rowHeight, panelWidth, numbers, laneWidth, font: Math.max(LEAST_FONT, font) };
  });
  const [one, two] = layouts as [Omit<Layout, 'say'>, Omit<Layout, 'say'>];
  return two.font > one.font ? two : one;
}

const panelX = ({ panelWidth }: Layout, panel: number): number => MARGIN + panel * (panelWidth + GAP);

const laneX = (layout: Layout, panel: number, lane: number): number =>
  panelX(layout, panel) + layout.numbers + lane * layout.laneWidth;

function panelHead({ actors, events }: ScheduleHistory, layout: Layout, panel: number): string[] {
  const rows = Math.min(layout.rows, events.length - panel * layout.rows);
  return actors.flatMap(({ name, process, cart }, lane) => {
    const x = laneX(layout, panel, lane);
    const wants = cart === undefined ? '' : ` wants ${cart.join(', ')}`;
    return [
      text(cutTo(layout.say(`${name} (${process})${wants}`), layout.laneWidth / (22 * ADVANCE)), {
        x,
        y: HEAD - 14,
        size: 22,
        weight: 700,
        fill: colorOf(lane),
      }),
      rect(x, HEAD, 2, rows * layout.rowHeight, colorOf(lane), 0.35),
    ];
  });
}

/** The worst mark of each event that shows a violation. */
function marksOf({ violations }: ScheduleVerdict): ReadonlyMap<number, Mark> {
  const marks = new Map<number, Mark>();
  for (const { kind, at } of violations)
    for (const n of at) {
      const before = marks.get(n);
      if (before === undefined || worstOf(before, harmOf(kind)) !== before) marks.set(n, harmOf(kind));
    }
  return marks;
}

const ORDER = Object.keys(MARKS) as Mark[];
const worstOf = (a: Mark, b: Mark): Mark => (ORDER.indexOf(b) < ORDER.indexOf(a) ? b : a);

/** After each event: the actors to which the servers grant the lock, or the majority of its parts. */
function holdsOf({ events, parts = 1 }: ScheduleHistory): ReadonlySet<string>[] {
  const owners = new Map<string, string>();
  return events.map(({ locks = [] }) => {
    for (const { key, change, by } of locks) {
      if (change === 'renewed' || key.startsWith('limit:')) continue;
      owners.delete(key);
      if ((change === 'taken' || change === 'replaced') && by !== undefined) owners.set(key, by);
    }
    const held = [...owners.values()];
    return new Set(held.filter((owner) => held.filter((one) => one === owner).length > parts / 2));
  });
}

function row(
  history: ScheduleHistory,
  event: ScheduleEvent,
  i: number,
  layout: Layout,
  mark: Mark | undefined,
  holders: ReadonlySet<string>,
): string[] {
  const { rows, rowHeight, font, panelWidth, numbers, laneWidth } = layout;
  const panel = Math.floor(i / rows);
  const x = panelX(layout, panel);
  const y = HEAD + (i % rows) * rowHeight;
  const baseline = y + rowHeight / 2 + font * 0.36;
  const lane = history.actors.findIndex(({ name }) => 'actor' in event && event.actor === name);
  const isFault = event.type === 'fault' || event.type === 'time';
  const fill = mark === undefined ? (isFault ? FAULT_FILL : undefined) : MARK_COLORS[mark].fill;
  const start = lane < 0 ? x + numbers : laneX(layout, panel, lane);
  const width = lane < 0 ? panelWidth - numbers : laneWidth;
  const number = mark === undefined ? String(event.n) : `${MARKS[mark].sign}${event.n}`;
  return [
    ...(fill === undefined ? [] : [rect(x, y, panelWidth, rowHeight, fill)]),
    text(number, {
      x: x + numbers - 8,
      y: baseline,
      size: Math.min(font, 16),
      weight: mark === undefined ? 400 : 700,
      fill: mark === undefined ? SOFT : MARK_COLORS[mark].ink,
      anchor: 'end',
    }),
    ...history.actors.flatMap(({ name }, one) =>
      holders.has(name) ? [rect(laneX(layout, panel, one), y, 7, rowHeight + 0.5, colorOf(one))] : [],
    ),
    eventLine(history, event, layout.say, {
      x: start + 14,
      y: baseline,
      size: font,
      columns: (width - 20) / (font * ADVANCE),
    }),
  ];
}

/** The event, and what it changed in the locks. The remark is complete; the statement is shortened. */
function eventLine(
  history: ScheduleHistory,
  event: ScheduleEvent,
  say: Layout['say'],
  { x, y, size, columns }: { x: number; y: number; size: number; columns: number },
): string {
  const isFault = event.type === 'fault' || event.type === 'time';
  const fault = isFault ? `·· ${say(event.text)}` : '';
  const remark = fitRemark(event, say, columns, fault);
  const room = columns - columnsOf(remark);
  const words = isFault ? fault : statement(history, event, say, room);
  const isWrong = remark.includes('✗');
  const tail =
    remark === ''
      ? ''
      : `<tspan fill="${isWrong ? MARK_COLORS['data-wrong'].ink : SOFT}" font-weight="700">${escape(remark)}</tspan>`;
  const weight = event.type === 'step' ? 400 : 700;
  return `<text data-event="${event.n}" data-columns="${Math.floor(columns)}" x="${round(x)}" y="${round(y)}" font-size="${round(size)}" font-weight="${weight}" fill="${INK}" xml:space="preserve">${escape(cutTo(words, room))}${tail}</text>`;
}

/** In a narrow lane the word "lock" is left out. A fault that fills its line has no remark: its text says the same. */
function fitRemark(event: ScheduleEvent, say: Layout['say'], columns: number, fault: string): string {
  const remarks = [...new Set(lockRemarks(event))].map(say);
  const shortened = columns < NARROW_COLUMNS ? remarks.map((one) => one.replace(/^lock /, '')) : remarks;
  const remark = remarks.length === 0 ? '' : `  ← ${shortened.join(', ')}`;
  const isFull = columnsOf(fault) <= columns && columnsOf(fault) + columnsOf(remark) > columns;
  return fault !== '' && isFull ? '' : cutTo(remark, columns * 0.6);
}

/** A step is shortened before its reply. */
function statement(history: ScheduleHistory, event: ScheduleEvent, say: Layout['say'], room: number): string {
  if (event.type !== 'step') return say(eventText(event, hasCarts(history)));
  const answer = cutTo(say(answerOf(event)), room / 2);
  return `${cutTo(say(commandText(event, hasCarts(history))), room - columnsOf(answer))}${answer}`;
}

/** The name of a script says more than EVALSHA; the fonts of many systems have no sign of a clock. */
function commandText(event: StepEvent, carts: boolean): string {
  const command = statementText(event, carts).replace(/^EVALSHA /, '');
  return event.timer === true ? `timer: ${command}` : command;
}

/** Width in characters of the monospaced font. */
const columnsOf = (line: string): number =>
  Array.from(line).reduce((sum, character) => sum + (character <= '\x7f' ? 1 : WIDE), 0);

function cutTo(line: string, columns: number): string {
  let most = line.length;
  while (most > 1 && columnsOf(cut(line, most)) > columns) most--;
  return cut(line, most);
}

const colorOf = (lane: number): string => LANE_COLORS[lane % LANE_COLORS.length] ?? INK;

const LEGEND = 'thick line: holds the lock';

interface TextStyle {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly weight?: number;
  readonly fill?: string;
  readonly anchor?: 'end';
}

const LEGEND_STYLE: TextStyle = { x: WIDTH - MARGIN, y: 50, size: 18, fill: SOFT, anchor: 'end' };

const text = (line: string, { x, y, size, weight = 400, fill = INK, anchor }: TextStyle): string =>
  `<text x="${round(x)}" y="${round(y)}" font-size="${round(size)}" font-weight="${weight}" fill="${fill}"${anchor === undefined ? '' : ` text-anchor="${anchor}"`} xml:space="preserve">${escape(line)}</text>`;

const rect = (x: number, y: number, width: number, height: number, fill: string, opacity = 1): string =>
  `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" fill="${fill}"${opacity === 1 ? '' : ` opacity="${opacity}"`}/>`;

const round = (value: number): string => String(Math.round(value * 10) / 10);

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** XML allows no other control characters than tab and line ends. */
const escape = (line: string): string =>
  line.replace(/[\0-\x08\x0b\x0c\x0e-\x1f]/g, '').replace(/[&<>"]/g, (one) => ENTITIES[one] ?? '');
