import { useEffect, useLayoutEffect, useRef } from 'react';
import { useLocation } from 'wouter';

/** What the address shows. The schedules of Step are one page: each choice of a reader has an address of its own. */
function pageOf(location: string): string {
  const [, first = '', second] = (location === '/' ? '/run' : location).split('/'); // it is redirected
  return first === 'step'
    ? `step/${second === undefined ? 'begin' : 'schedule'}`
    : `${first}/${second ?? ''}`;
}

/**
 * Moves the focus to the heading of a page that was reached inside the console, as a browser does with a new document; unless
 * an element of the page has asked for the focus. Stands after the page, whose effects run first.
 */
export function PageFocus(): null {
  const page = pageOf(useLocation()[0]);
  const shown = useRef(page);
  const focused = useRef<Element>(null);
  useLayoutEffect(() => {
    focused.current = document.activeElement; // before the effects of the page, which may ask for the focus
  }, [page]);
  useEffect(() => {
    if (shown.current === page) return;
    shown.current = page;
    return focusHeading(focused.current);
  }, [page]);
  return null;
}

/** Focuses the heading when it is there, unless another element than `before` has the focus by then. Returns a function that stops waiting. */
function focusHeading(before: Element | null): () => void {
  const content = document.getElementById('content');
  const observer = new MutationObserver(() => {
    tryNow();
  });
  const tryNow = (): void => {
    const { activeElement } = document;
    const heading = content?.querySelector('h1') ?? undefined;
    const isFree = activeElement === before || activeElement === document.body;
    if (isFree && heading === undefined) return; // it is loading
    observer.disconnect();
    if (!isFree || heading === undefined) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: window.location.hash !== '' });
  };
  if (content !== null) observer.observe(content, { childList: true, subtree: true });
  tryNow();
  return () => {
    observer.disconnect();
  };
}
