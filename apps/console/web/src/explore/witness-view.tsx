import { useRef, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { Witness } from '../api/types';
import { download } from '../shared/download';
import { SIGNS } from '../shared/mark';
import { explain, labelOf, useTexts } from '../texts';
import { Timeline } from '../step/timeline';
import { WitnessLanes } from './witness-lanes';

/** The shortest wrong schedule as lanes, with its way into Step and its exports. The drawing is only exported. */
export function WitnessView({ witness, strategy }: { witness: Witness; strategy: string }): ReactNode {
  const t = useTexts();
  const box = useRef<HTMLDivElement>(null);
  const { token, violations, mechanism, passes, mermaid } = witness;
  return (
    <section className="panel witness">
      <div className="detail-head">
        <h2>{t.explore.witness}</h2>
        <p className="actions">
          <Link className="button primary" href={`/step/${token}`}>
            {t.common.openInStep}
          </Link>
          <button
            type="button"
            onClick={() => {
              const svg = box.current?.querySelector('svg');
              if (svg !== null && svg !== undefined)
                download(`${strategy}.svg`, 'image/svg+xml', new XMLSerializer().serializeToString(svg));
            }}
          >
            {t.common.export} {t.common.svg}
          </button>
          <button
            type="button"
            onClick={() => {
              download(`${strategy}.mmd`, 'text/plain', mermaid);
            }}
          >
            {t.common.export} {t.common.mermaid}
          </button>
        </p>
      </div>
      <ul className="witness-violations">
        {violations.map((violation) => (
          <li key={`${violation.kind} ${violation.sentence}`}>
            <b className={`mark mark-${violation.harm}`}>
              {SIGNS[violation.harm]} {labelOf(t.violations, violation.kind)}
            </b>{' '}
            {explain(t, violation)}
          </li>
        ))}
      </ul>
      {mechanism !== undefined && (
        <p>
          <b>{t.explore.mechanism}:</b> {t.said(mechanism.text, mechanism.inChinese)}
        </p>
      )}
      {passes !== undefined && (
        <p>
          {t.matrix.passes} <Link href={`/catalogue/${passes}`}>{passes}</Link>
        </p>
      )}
      <WitnessTimeline witness={witness} />
      <div ref={box} hidden>
        <WitnessLanes witness={witness} />
      </div>
    </section>
  );
}

/** The lanes of the Step page, which are as wide as the page. */
function WitnessTimeline({ witness: { actors, events, violations } }: { witness: Witness }): ReactNode {
  const t = useTexts();
  return (
    <div className="witness-timeline" data-buyers={actors.length}>
      <div className="lanes">
        <div className="buyers">
          {actors.map(({ name, process }) => (
            <div key={name} className={`buyer actor-${name}`}>
              <h3>
                <span className="buyer-name">{name}</span>{' '}
                <span className="buyer-process">{t.step.process(Number(process.slice(1)))}</span>
              </h3>
            </div>
          ))}
        </div>
        <Timeline actors={actors.map(({ name }) => name)} events={events} violations={violations} />
      </div>
    </div>
  );
}
