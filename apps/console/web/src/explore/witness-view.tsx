import { useRef, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { Witness } from '../api/types';
import { download } from '../shared/download';
import { SIGNS } from '../shared/mark';
import { explain, labelOf, useTexts } from '../texts';
import { WitnessLanes } from './witness-lanes';

/** The shortest wrong schedule as lanes, with its way into Step and its exports. */
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
          <b>{t.explore.mechanism}:</b> {mechanism}
        </p>
      )}
      {passes !== undefined && (
        <p>
          {t.matrix.passes} <Link href={`/catalogue/${passes}`}>{passes}</Link>
        </p>
      )}
      <div className="witness-lanes" ref={box} tabIndex={0} role="region" aria-label={t.explore.witness}>
        <WitnessLanes witness={witness} />
      </div>
    </section>
  );
}
