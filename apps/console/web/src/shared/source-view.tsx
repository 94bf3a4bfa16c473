import { useEffect, useRef, type ReactNode } from 'react';
import { useLoaded } from '../api/use-loaded';
import { useTexts } from '../texts';
import '../styles/source.css';

const loaded = new Map<string, Promise<readonly string[]>>();

/** The lines of a source file as HTML, colored when the page was built. */
function linesOf(file: string): Promise<readonly string[]> {
  let lines = loaded.get(file);
  if (lines === undefined) {
    lines = fetch(`/sources/${file}.json`).then((response) =>
      response.ok
        ? (response.json() as Promise<readonly string[]>)
        : Promise.reject(new Error(response.statusText)),
    );
    lines.catch(() => loaded.delete(file));
    loaded.set(file, lines);
  }
  return lines;
}

/** A source file with marked lines: by line, the buyers whose code is there. The first marked line is scrolled into view. */
export function SourceView({
  file,
  marked,
}: {
  file: string;
  marked?: ReadonlyMap<number, readonly string[]>;
}): ReactNode {
  const t = useTexts();
  const { value: lines } = useLoaded(`source ${file}`, () => linesOf(file));
  const box = useRef<HTMLDivElement>(null);
  const first = Math.min(...(marked?.keys() ?? []));
  useEffect(() => {
    const line = box.current?.querySelector<HTMLElement>(`[data-line="${first}"]`);
    if (box.current === null || line === undefined || line === null) return;
    const { offsetTop } = line;
    const { scrollTop, clientHeight } = box.current;
    if (offsetTop < scrollTop + 40 || offsetTop > scrollTop + clientHeight - 80)
      box.current.scrollTop = offsetTop - clientHeight / 3;
  }, [first, lines, file]);
  if (lines === undefined) return <p className="muted">{t.common.loading}</p>;
  return (
    <div
      className={marked === undefined ? 'source source-plain' : 'source'}
      ref={box}
      tabIndex={0}
      role="region"
      aria-label={file}
    >
      <code>
        {lines.map((html, i) => (
          <Line key={i} n={i + 1} html={html} names={marked?.get(i + 1) ?? []} />
        ))}
      </code>
    </div>
  );
}

function Line({ n, html, names }: { n: number; html: string; names: readonly string[] }): ReactNode {
  const t = useTexts();
  return (
    <div className={names.length > 0 ? 'line line-marked' : 'line'} data-line={n}>
      <span className="line-actors">
        {names.map((name) => (
          <b key={name} className={`actor-${name}`} title={t.step.at(name)}>
            {name}
          </b>
        ))}
      </span>
      <span className="line-number">{n}</span>
      {/* made by the build from the files of this repository */}
      <span className="line-text" dangerouslySetInnerHTML={{ __html: html === '' ? ' ' : html }} />
    </div>
  );
}
