import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { api, problemOf, UNREACHABLE } from '../api/client';
import { useReachable } from '../api/connection';
import type { Problem, StepView } from '../api/types';

export interface Schedule {
  readonly view?: StepView;
  /** Why the last request failed; the view before it stays. */
  readonly problem?: Problem;
  readonly isBusy: boolean;
  /** Makes a choice, after those that are being made. */
  readonly choose: (choice: string) => void;
  /** Plays the schedule without its last choice. */
  readonly undo: () => void;
  /** Plays the schedule without any choice. */
  readonly restart: () => void;
  /** Makes the remaining steps, without a fault. */
  readonly finish: () => void;
  /** Plays another schedule. */
  readonly play: (token: string) => void;
}

/** What is done next; a schedule is chosen when it is the turn of the order. */
interface Order {
  readonly token?: (view: StepView | undefined) => string | undefined;
  readonly choice?: string;
  readonly finish?: true;
}

/** Choices that wait at most while one is being made. */
const MAX_WAITING = 20;

/**
 * The schedule that the address names. A schedule is its token: each choice answers with the next token, which becomes the
 * address, so that a reload or another tab shows the same state.
 */
export function useSchedule(token: string): Schedule {
  const [, navigate] = useLocation();
  const isReachable = useReachable();
  const [state, setState] = useState<{ view?: StepView; problem?: Problem; isBusy: boolean }>({
    isBusy: true,
  });
  const view = useRef<StepView>(undefined);
  const waiting = useRef<Order[]>([]);
  const isBusy = useRef(false);

  const run = async (order: Order): Promise<void> => {
    isBusy.current = true;
    setState((before) => ({ ...before, isBusy: true }));
    try {
      const next = await api.step(order.token?.(view.current) ?? view.current?.token ?? token, order);
      view.current = next;
      setState({ view: next, isBusy: false });
      if (decodeURIComponent(window.location.pathname) !== `/step/${next.token}`)
        navigate(`/step/${next.token}`, { replace: true });
    } catch (error) {
      waiting.current = [];
      setState((before) => ({
        ...(before.view !== undefined && { view: before.view }),
        problem: problemOf(error),
        isBusy: false,
      }));
    } finally {
      isBusy.current = false;
    }
    const following = waiting.current.shift();
    if (following !== undefined && isPossible(following, view.current)) void run(following);
    else waiting.current = [];
  };

  const order = (next: Order): void => {
    if (!isBusy.current) void run(next);
    else if (waiting.current.length < MAX_WAITING) waiting.current.push(next);
  };

  useEffect(() => {
    if (view.current?.token === token) return;
    view.current = undefined;
    setState({ isBusy: true });
    waiting.current = [];
    void run({ token: () => token });
  }, [token]);

  // what failed because the console was away is played again when it is back
  const { problem } = state;
  useEffect(() => {
    if (isReachable && problem?.code === UNREACHABLE) order({ token: () => view.current?.token ?? token });
  }, [isReachable]);

  return {
    ...state,
    choose: (choice) => {
      order({ choice });
    },
    undo: () => {
      order({ token: (now) => now?.undo });
    },
    restart: () => {
      order({ token: (now) => now?.start });
    },
    finish: () => {
      order({ finish: true });
    },
    play: (other) => {
      order({ token: () => other });
    },
  };
}

/** A choice that was ordered in advance is made only if it is enabled by then. */
const isPossible = ({ choice }: Order, view: StepView | undefined): boolean =>
  choice === undefined ||
  view?.controls.some((control) => control.choice === choice && control.disabled === undefined) === true;
