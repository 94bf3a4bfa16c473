import { useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import type { Language } from '../api/types';
import { LANGUAGES, useLanguage, useTexts } from '../texts';
import { LabStatus } from './lab-status';
import { PAGES } from './pages';
import { applyTheme, storedTheme, THEMES, type Theme } from './theme';

export function Header(): ReactNode {
  const t = useTexts();
  const [location] = useLocation();
  return (
    <LabStatus>
      {(status) => (
        <header className="header">
          <Link href="/run" className="brand">
            {t.title}
          </Link>
          <nav aria-label={t.nav.label}>
            {PAGES.map((page) => (
              <Link
                key={page}
                href={`/${page}`}
                {...(location.startsWith(`/${page}`) && { 'aria-current': 'page' as const })}
              >
                {t.nav[page]}
              </Link>
            ))}
          </nav>
          {status}
          <Switches />
        </header>
      )}
    </LabStatus>
  );
}

function Switches(): ReactNode {
  const t = useTexts();
  const { language, choose } = useLanguage();
  const [theme, setTheme] = useState(storedTheme);
  return (
    <div className="switches">
      <select
        aria-label={t.settings.language}
        value={language}
        onChange={({ target }) => {
          choose(target.value as Language);
        }}
      >
        {Object.entries(LANGUAGES).map(([code, name]) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </select>
      <select
        aria-label={t.settings.theme}
        value={theme}
        onChange={({ target }) => {
          setTheme(target.value as Theme);
          applyTheme(target.value as Theme);
        }}
      >
        {THEMES.map((name) => (
          <option key={name} value={name}>
            {t.settings[name]}
          </option>
        ))}
      </select>
    </div>
  );
}
