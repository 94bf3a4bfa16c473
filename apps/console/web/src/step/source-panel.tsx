import { useState, type ReactNode } from 'react';
import { useStrategies } from '../api/shared-lists';
import type { StepView } from '../api/types';
import { FileTabs } from '../shared/file-tabs';
import { SourceView } from '../shared/source-view';
import { useTexts } from '../texts';

/**
 * The source of the strategy, with the line at which each buyer is. Follows the buyer that moved last, until the reader chooses
 * another file; choosing the file of that buyer follows it again.
 */
export function SourcePanel({ view }: { view: StepView }): ReactNode {
  const t = useTexts();
  const own = `strategies/${view.strategy}.ts`;
  const listed = useStrategies()?.find(({ name }) => name === view.strategy)?.files ?? [];
  const files = [
    ...new Set([own, ...listed, ...view.actors.flatMap(({ at }) => at.map(({ file }) => file))]),
  ];
  const [chosen, choose] = useState<string>();
  const followed = fileToShow(view, own);
  const file = chosen ?? followed;
  return (
    <section className="source-panel" aria-label={t.step.source}>
      <FileTabs
        label={t.step.source}
        files={files}
        shown={file}
        show={(name) => {
          choose(name === followed ? undefined : name);
        }}
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

/** The innermost file of the buyer that moved last, of those that have not ended. */
function fileToShow({ actors, events }: StepView, own: string): string {
  const innermost = (name: string | undefined): string | undefined =>
    actors.find((actor) => actor.name === name)?.at[0]?.file;
  return innermost(events.findLast(({ actor }) => innermost(actor) !== undefined)?.actor) ?? own;
}
