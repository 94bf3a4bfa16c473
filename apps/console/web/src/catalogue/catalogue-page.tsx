import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'wouter';
import { useStrategies } from '../api/shared-lists';
import type { StrategyView } from '../api/types';
import { useLanguage, useTexts } from '../texts';
import { sentencesOf } from './sentences';
import { StrategyDetail } from './strategy-detail';
import '../styles/catalogue.css';

export function CataloguePage({ name }: { name: string | undefined }): ReactNode {
  const t = useTexts();
  const strategies = useStrategies();
  if (strategies === undefined) return <p className="page">{t.common.loading}</p>;
  if (name === undefined) return <List strategies={strategies} />;
  const strategy = strategies.find((one) => one.name === name);
  if (strategy === undefined)
    return (
      <div className="page">
        <p>{t.catalogue.unknown(name)}</p>
        <Link href="/catalogue">{t.catalogue.all}</Link>
      </div>
    );
  return <StrategyDetail strategy={strategy} />;
}

const PARAMETER = 'find';

/** The address has the text of the search, so that Back finds it again. */
function List({ strategies }: { strategies: readonly StrategyView[] }): ReactNode {
  const t = useTexts();
  const { language } = useLanguage();
  const [search, setSearch] = useSearchParams();
  const text = search.get(PARAMETER) ?? '';
  const wanted = text.trim().toLowerCase();
  const shown = strategies
    .map((strategy) => ({ ...strategy, ...sentencesOf(strategy, language) }))
    .filter(({ name, mechanism, defect }) =>
      [name, mechanism, defect].some((part) => part.toLowerCase().includes(wanted)),
    );
  return (
    <div className="page">
      <h1>{t.catalogue.title}</h1>
      <p className="intro">{t.catalogue.intro}</p>
      <input
        type="search"
        aria-label={t.catalogue.search}
        placeholder={t.catalogue.search}
        value={text}
        onChange={({ target }) => {
          setSearch(target.value === '' ? {} : { [PARAMETER]: target.value }, { replace: true });
        }}
      />
      {shown.length === 0 && <p role="status">{t.catalogue.noMatch(text)}</p>}
      <ol className="strategies">
        {shown.map(({ name, mechanism, lacks }) => (
          <li key={name}>
            <Link href={`/catalogue/${name}`}>
              <strong>{name}</strong>
              <span>{mechanism}</span>
              <small>
                {lacks.length === 0 ? (
                  <span className="mark mark-safe">✓ {t.catalogue.allKept}</span>
                ) : (
                  <span className="mark mark-data-wrong">✗ {t.catalogue.broken(lacks.length)}</span>
                )}
              </small>
            </Link>
          </li>
        ))}
      </ol>
    </div>
  );
}
