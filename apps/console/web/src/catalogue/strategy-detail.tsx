import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { usePresets, useVocabulary } from '../api/shared-lists';
import type { StrategyView } from '../api/types';
import { FileTabs } from '../shared/file-tabs';
import { SourceView } from '../shared/source-view';
import { usePageTitle } from '../shell/page-title';
import { useLanguage, useTexts } from '../texts';
import { sentencesOf } from './sentences';

/** One strategy: how it works, what it promises, and its code. */
export function StrategyDetail({ strategy }: { strategy: StrategyView }): ReactNode {
  const t = useTexts();
  const { name, source, next, needs, keeps, lacks, files } = strategy;
  const { mechanism, defect, why } = sentencesOf(strategy, useLanguage().language);
  usePageTitle(name);
  return (
    <div className="page">
      <p>
        <Link href="/catalogue">← {t.catalogue.all}</Link>
      </p>
      <div className="detail-head">
        <h1>{name}</h1>
        <p className="actions">
          <Link className="button primary" href={`/step?strategy=${name}`}>
            {t.catalogue.step}
          </Link>
          <Link className="button" href={`/explore?strategy=${name}`}>
            {t.catalogue.explore}
          </Link>
          <Link className="button" href={`/run?strategy=${name}`}>
            {t.catalogue.run}
          </Link>
        </p>
      </div>
      <div className="columns">
        <div className="detail-left">
          <dl className="panel facts">
            <dt>{t.catalogue.mechanism}</dt>
            <dd>{mechanism}</dd>
            <dt>{t.catalogue.defect}</dt>
            <dd>{defect}</dd>
            <dt>{t.catalogue.next}</dt>
            <dd>
              {next.strategy !== undefined && (
                <>
                  <Link href={`/catalogue/${next.strategy}`}>{next.strategy}</Link>:{' '}
                </>
              )}
              {why}
            </dd>
            <dt>{t.catalogue.source}</dt>
            <dd>
              <Source text={source} />
            </dd>
            {needs.length > 0 && (
              <>
                <dt>{t.catalogue.needs}</dt>
                <dd>{needs.join(', ')}</dd>
              </>
            )}
            <dt>{t.catalogue.presets}</dt>
            <dd>
              <Presets names={strategy.presets} />
            </dd>
          </dl>
          <Promises title={t.catalogue.lacks} names={lacks} sign="✗" mark="data-wrong" />
          <Promises title={t.catalogue.keeps} names={keeps} sign="✓" mark="safe" />
        </div>
        <Code files={files} />
      </div>
    </div>
  );
}

/** Addresses in a text become links. */
const Source = ({ text }: { text: string }): ReactNode =>
  text.split(/(https?:\/\/[^\s,)]+)/).map((part, i) =>
    i % 2 === 1 ? (
      <a key={i} href={part} rel="noreferrer" target="_blank">
        {part}
      </a>
    ) : (
      part
    ),
  );

function Presets({ names }: { names: readonly string[] }): ReactNode {
  const t = useTexts();
  const presets = usePresets() ?? [];
  if (names.length === 0) return t.catalogue.noPresets;
  const missing = (name: string): readonly string[] => presets.find((one) => one.name === name)?.needs ?? [];
  return (
    <span className="actions">
      {names.map((name) => (
        <Link key={name} className="button" href={`/run?preset=${encodeURIComponent(name)}`}>
          {name}
          {missing(name).length > 0 && <small> {t.run.needs(missing(name).join(', '))}</small>}
        </Link>
      ))}
    </span>
  );
}

function Code({ files }: { files: readonly string[] }): ReactNode {
  const t = useTexts();
  const [shown, show] = useState(files[0]);
  const file = files.find((one) => one === shown) ?? files[0];
  if (file === undefined) return undefined;
  return (
    <section className="source-panel detail-code" aria-label={t.catalogue.code}>
      <FileTabs label={t.catalogue.code} files={files} shown={file} show={show} />
      <SourceView file={file} />
    </section>
  );
}

function Promises({
  title,
  names,
  sign,
  mark,
}: {
  title: string;
  names: readonly string[];
  sign: string;
  mark: string;
}): ReactNode {
  const t = useTexts();
  const { language } = useLanguage();
  const sentences = useVocabulary()?.capabilities;
  // the server's sentence is the whole promise; the page has a translation of it
  const textOf = (name: string): string =>
    (language === 'en' ? sentences?.[name] : undefined) ?? t.capabilities[name] ?? name;
  return (
    <section className="panel">
      <h2>{title}</h2>
      {names.length === 0 && <p className="muted">{t.common.none}</p>}
      <ul className="promises">
        {names.map((name) => (
          <li key={name}>
            <span className={`mark mark-${mark}`} aria-hidden="true">
              {sign}
            </span>{' '}
            {textOf(name)}
          </li>
        ))}
      </ul>
    </section>
  );
}
