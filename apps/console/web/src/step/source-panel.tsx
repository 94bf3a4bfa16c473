import { useEffect, useState, type ReactNode } from 'react';
import { useStrategies } from '../api/shared-lists';
import type { StepView } from '../api/types';
import { FileTabs } from '../shared/file-tabs';
import { SourceView } from '../shared/source-view';
import { useTexts } from '../texts';

/** The source of the strategy, with the line at which each buyer is. Follows the buyer that moved last. */
export function SourcePanel({ view }: { view: StepView }): ReactNode {
  const t = useTexts();
  const own = `strategies/${view.strategy}.ts`;
  const listed = useStrategies()?.find(({ name }) => name === view.strategy)?.files ?? [];
  const files = [
    ...new Set([own, ...listed, ...view.actors.flatMap(({ at }) => at.map(({ file }) => file))]),
  ];
  const [shown, show] = useState(own);
  const followed = fileToShow(view, own);
  useEffect(() => {
    show(followed);
  }, [followed, view.token]);
  const file = files.includes(shown) ? shown : own;
  return (
    <section className="source-panel" aria-label={t.step.source}>
      <FileTabs
        label={t.step.source}
        files={files}
        shown={file}
        show={show}
        badges={(name) =>
          actorsIn(view, name).map((actor) => (
            <b key={actor} className={`actor-${actor}`}>
              {actor}
            </b>
          ))
        }
      />
      <SourceView file={file} marked={linesIn(view, file)} />
    </section>
  );
}

/** The innermost position of each buyer in a file. */
function linesIn({ actors }: StepView, file: string): ReadonlyMap<number, readonly string[]> {
  const lines = new Map<number, string[]>();
  for (const { name, at } of actors) {
    const position = at.find((one) => one.file === file);
    if (position !== undefined) lines.set(position.line, [...(lines.get(position.line) ?? []), name]);
  }
  return lines;
}

/** The buyers whose innermost line is in the file. */
const actorsIn = ({ actors }: StepView, file: string): string[] =>
  actors.filter(({ at }) => at[0]?.file === file).map(({ name }) => name);

/** The strategy's own file when the buyer that moved last is in it, also as a caller; otherwise its innermost file. */
function fileToShow({ actors, events }: StepView, own: string): string {
  const last = events.findLast(({ actor }) => actor !== undefined)?.actor;
  const at = actors.find(({ name }) => name === last)?.at ?? [];
  return at.some(({ file }) => file === own) ? own : (at[0]?.file ?? own);
}
