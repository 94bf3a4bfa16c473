import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { useTexts, type Texts } from '../texts';
import { PAGES } from './pages';

/** The name of the page at an address; undefined: no page is there. */
function nameOf({ nav, classroom }: Texts, location: string): string | undefined {
  const [, first = ''] = location.split('/');
  if (first === 'class') return classroom.board;
  const page = PAGES.find((one) => one === first);
  return page && nav[page];
}

/**
 * Sets the title of the document: the strategy, lesson or run that the page shows, the page, and the console. The
 * application calls it for every page, and a page with a subject calls it once more, later.
 */
export function usePageTitle(subject?: string): void {
  const t = useTexts();
  const [location] = useLocation();
  useEffect(() => {
    document.title = [subject, nameOf(t, location), t.title].filter((part) => part !== undefined).join(' · ');
  }, [subject, t, location]); // each call sets it after every change of the address, so that the later one is shown
}

/** The title of a page without a subject. Stands before the page. */
export function PageTitle(): null {
  usePageTitle();
  return null;
}
