import { useEffect, useRef } from 'react';
import { setReachable } from './connection';
import type { JobEvent } from './types';

/** Delay before a stream that the server refused is opened again, milliseconds. */
const REOPEN_MS = 2000;

/**
 * Receives the events of a stream while there is a path. The browser reconnects by itself and resumes after the last
 * event; a stream that is opened again sends all events again, so `receive` must accept an event twice.
 */
export function useEvents(path: string | undefined, receive: (event: JobEvent) => void): void {
  const latest = useRef(receive);
  useEffect(() => {
    latest.current = receive;
  });
  useEffect(() => {
    if (path === undefined) return;
    let source: EventSource | undefined;
    let timer: number | undefined;
    const open = (): void => {
      source = new EventSource(`/api/${path}`);
      source.onopen = () => {
        setReachable(true);
      };
      source.onmessage = ({ data }: MessageEvent<string>) => {
        latest.current(JSON.parse(data) as JobEvent);
      };
      source.onerror = () => {
        if (source?.readyState === EventSource.CLOSED) timer = window.setTimeout(open, REOPEN_MS);
      };
    };
    open();
    return () => {
      source?.close();
      window.clearTimeout(timer);
    };
  }, [path]);
}
