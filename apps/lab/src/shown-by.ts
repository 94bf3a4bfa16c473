import { lessonOf, readLessons } from '#lab/course';
import { CELLS, exploreCommandOf, type MatrixCell } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { MARKS, type Mark } from '#lab/verdict';
import { committedMatrix } from './committed-matrix';

/** The first cell of this kind shows the strategy: a broken promise, other harm, a broken lock, a killed buyer. */
const TELLING: readonly ((cell: MatrixCell) => boolean)[] = [
  ({ cell, mark }) =>
    isHarm(mark) && CELLS.some(({ name, promise }) => name === cell && promise !== undefined),
  ({ mark }) => isHarm(mark),
  ({ mark }) => mark === 'lock-broken',
  ({ cell, mark }) => mark === 'safe' && cell === 'kill',
];
const isHarm = (mark: Mark): boolean => mark === 'data-wrong' || mark === 'unavailable';

/** For docs/catalogue.md: the command and the lesson that show a strategy, from docs/matrix.json and the lessons. */
export function shownBy(): (strategy: string) => string | undefined {
  const { rows } = committedMatrix();
  const lessons = readLessons('en');
  return (name) => {
    const told = tellingCommand(name, rows.find(({ strategy }) => strategy === name)?.cells ?? []);
    const lesson = lessonOf(lessons, name);
    const parts = [
      ...(told === undefined ? [] : [`\`${told.command}\` (${told.result})`]),
      ...(lesson === undefined
        ? []
        : [`[lesson ${lesson.number}, ${lesson.title}](../walkthroughs/en/${lesson.id}.md)`]),
    ];
    return parts.length === 0 ? undefined : parts.join('; ');
  };
}

/** The command of the first of the most telling circumstances, and what it shows: `✗ data wrong`. */
export function tellingCommand(
  name: string,
  cells: readonly MatrixCell[],
): { readonly command: string; readonly result: string } | undefined {
  for (const isTelling of TELLING)
    for (const cell of cells.filter(isTelling)) {
      const command = commandOf(name, cell);
      if (command === undefined) continue;
      const { sign, words } = MARKS[cell.mark];
      return { command, result: `${sign} ${words}` };
    }
  return undefined;
}

/** `npx lab explore …`, or the replay of its schedule where no option says where the fault is injected. */
function commandOf(name: string, { cell, token }: MatrixCell): string | undefined {
  const definition = CELLS.find((one) => one.name === cell);
  const explore = definition && exploreCommandOf(findStrategy(name), definition);
  return explore ?? (token === undefined ? undefined : `npx lab replay ${token}`);
}
