import { useEffect, useRef, type ReactNode } from 'react';
import { api } from '../api/client';

const EVERY_MS = 700;

/**
 * The replicas of a run while it lasts: who holds the lock, what is paused or dead. The server draws them with the code of the
 * report; a shadow root keeps its style apart.
 */
export function LiveLanes({ id }: { id: string }): ReactNode {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const draw = (): void => {
      api.runLanes(id).then(
        ({ style, lanes }) => {
          if (lanes === undefined) return;
          const scrolled = root.querySelector('.scroll')?.scrollLeft ?? 0;
          root.innerHTML = `<style>${style}</style>${lanes}`;
          root.querySelector('.scroll')?.scrollTo(scrolled, 0);
        },
        () => undefined, // the next one
      );
    };
    draw();
    const timer = setInterval(draw, EVERY_MS);
    return () => {
      clearInterval(timer);
    };
  }, [id]);
  return <div className="live-lanes" ref={host} />;
}
