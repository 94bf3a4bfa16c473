import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Control } from '../api/types';

/** The first key of each kind of choice; the second is the letter of a buyer or the number of a process or server. */
const FIRST: Readonly<Record<string, string>> = {
  'timer-step': 'w',
  arrival: 'j',
  error: 'e',
  'lose-reply': 'q',
  'in-flight': 'i',
  slow: 's',
  overrun: 'o',
  kill: 'k',
  'host-down': 'h',
  pause: 'p',
  resume: 'p',
  cut: 'n',
  'lost-session': 'x',
  'server-down': 'd',
  lapse: 'l',
  tick: 't',
  flush: 'f',
};

/** The keys that make a choice, in order: `a`, `l`, `k 1`. */
export function keysOf({ kind, actor, process, server }: Control): readonly string[] {
  if (kind === 'step' && actor !== undefined) return [actor.toLowerCase()];
  if (kind === 'flush' && server !== undefined) return ['g', String(server)];
  const second = actor?.toLowerCase() ?? process ?? server;
  return [FIRST[kind] ?? '?', ...(second === undefined ? [] : [String(second)])];
}

/** Time in which the second key of a choice must follow, milliseconds. */
const CHORD_MS = 3000;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, select, textarea, dialog') !== null;

/** Calls `press` with the keys of a choice. Returns the first key while the second one is awaited. */
export function useKeys(
  isChord: (first: string) => boolean,
  press: (keys: string) => void,
): string | undefined {
  const [pending, setPending] = useState<string>();
  const latest = useRef({ isChord, press, pending });
  // before the page can have the focus, or shows its choices: no key is lost
  useLayoutEffect(() => {
    latest.current = { isChord, press, pending };
  });
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const key = event.key.toLowerCase();
      if (!/^[a-z0-9]$/.test(key)) {
        if (key === 'escape') setPending(undefined);
        return;
      }
      event.preventDefault();
      const { pending: first } = latest.current;
      if (first === undefined && latest.current.isChord(key)) setPending(key);
      else {
        setPending(undefined);
        latest.current.press(first === undefined ? key : `${first} ${key}`);
      }
    };
    window.addEventListener('keydown', onKey);
    return () => {
      window.removeEventListener('keydown', onKey);
    };
  }, []);
  useEffect(() => {
    if (pending === undefined) return;
    const timer = window.setTimeout(() => {
      setPending(undefined);
    }, CHORD_MS);
    return () => {
      window.clearTimeout(timer);
    };
  }, [pending]);
  return pending;
}
