import { useEffect, useState } from 'react';
import { useReachable } from './connection';
import { problemOf } from './client';
import type { Problem } from './types';

interface Loaded<T> {
  readonly value?: T;
  readonly problem?: Problem;
  readonly reload: () => void;
}

/**
 * Loads a value when the key changes, and again when the console can be reached again. The last value stays while a new
 * one with the same key is loaded.
 */
export function useLoaded<T>(key: string, load: () => Promise<T>): Loaded<T> {
  const isReachable = useReachable();
  const [turn, setTurn] = useState(0);
  const [state, setState] = useState<{ key: string; value?: T; problem?: Problem }>({ key });
  useEffect(() => {
    let isCurrent = true;
    load().then(
      (value) => {
        if (isCurrent) setState({ key, value });
      },
      (error: unknown) => {
        if (isCurrent)
          setState((before) => ({ ...(before.key === key ? before : { key }), problem: problemOf(error) }));
      },
    );
    return () => {
      isCurrent = false;
    };
    // `load` is a new function at each rendering: the key says what it loads
  }, [key, turn, isReachable]);
  const reload = (): void => {
    setTurn((before) => before + 1);
  };
  if (state.key !== key) return { reload };
  const { value, problem } = state;
  return { ...(value !== undefined && { value }), ...(problem !== undefined && { problem }), reload };
}
