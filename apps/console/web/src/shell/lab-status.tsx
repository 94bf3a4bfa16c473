import { useEffect, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { api } from '../api/client';
import { useReachable } from '../api/connection';
import type { LabView } from '../api/types';
import { useHasJoined } from '../classroom/classroom-gate';
import { useTexts, type Texts } from '../texts';

const POLL_MS = 4000;

/** Polls the lab; draws the status where `children` put it, and a banner below when something is down. */
export function LabStatus({ children }: { children: (status: ReactNode) => ReactNode }): ReactNode {
  const t = useTexts();
  const isReachable = useReachable();
  const hasJoined = useHasJoined();
  const lab = usePolledLab(hasJoined);
  const state = stateOf(isReachable, lab);
  const [location] = useLocation();
  const banner =
    state === 'unreachable'
      ? t.lab.bannerUnreachable
      : state === 'stopped' && location.startsWith('/run')
        ? t.lab.bannerStopped // only loads need the lab
        : undefined;
  return (
    <>
      {children(
        hasJoined && (
          <span className={`lab lab-${state}`} title={replicasOf(t, lab)}>
            {t.lab[state]}
          </span>
        ),
      )}
      <div role="status" className={banner === undefined ? 'banner-empty' : `banner banner-${state}`}>
        {banner}
      </div>
    </>
  );
}

type State = 'running' | 'stopped' | 'unknown' | 'unreachable';

const stateOf = (isReachable: boolean, lab: LabView | undefined): State => {
  if (!isReachable) return 'unreachable';
  if (lab === undefined) return 'unknown';
  return lab.isRunning ? 'running' : 'stopped';
};

const replicasOf = (t: Texts, lab: LabView | undefined): string | undefined =>
  lab?.isRunning === true
    ? t.lab.replicas(lab.replicas.filter(({ state }) => state === 'ready').length, lab.replicas.length)
    : undefined;

/** `isAllowed`: the server would refuse it otherwise. */
function usePolledLab(isAllowed: boolean): LabView | undefined {
  const [lab, setLab] = useState<LabView>();
  useEffect(() => {
    if (!isAllowed) return;
    let timer: number | undefined;
    let isMounted = true;
    const poll = (): void => {
      void api
        .lab()
        .then(setLab, () => undefined)
        .then(() => {
          if (isMounted) timer = window.setTimeout(poll, POLL_MS);
        });
    };
    poll();
    return () => {
      isMounted = false;
      window.clearTimeout(timer);
    };
  }, [isAllowed]);
  return lab;
}
