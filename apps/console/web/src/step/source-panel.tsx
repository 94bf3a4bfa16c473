import { useState, type ReactNode } from 'react';
import { useStrategies } from '../api/shared-lists';
import type { StepActor, StepView } from '../api/types';
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

/** The buyers that have not ended, and the one that moved last, so that the line of the last step stays marked. */
function shownActors(view: StepView): readonly StepActor[] {
  const last = lastMover(view);
  return view.actors.filter((actor) => actor.outcome === undefined || actor === last);
}

const lastMover = ({ actors, events }: StepView): StepActor | undefined => {
  const last = events.findLast(({ actor }) => actors.some(({ name, at }) => name === actor && at.length > 0));
  return actors.find(({ name }) => name === last?.actor);
};

/** The innermost position of each shown buyer in a file. */
function linesIn(view: StepView, file: string): ReadonlyMap<number, readonly string[]> {
  const lines = new Map<number, string[]>();
  for (const { name, at } of shownActors(view)) {
    const position = at.find((one) => one.file === file);
    if (position !== undefined) lines.set(position.line, [...(lines.get(position.line) ?? []), name]);
  }
  return lines;
}

/** The shown buyers whose innermost line is in the file. */
const actorsIn = (view: StepView, file: string): string[] =>
  shownActors(view)
    .filter(({ at }) => at[0]?.file === file)
    .map(({ name }) => name);

/** The innermost file of the buyer that moved last. */
const fileToShow = (view: StepView, own: string): string => lastMover(view)?.at[0]?.file ?? own;
