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
  /** The last choice was made in this tab, not by the address that was opened. */
  readonly isMadeHere: boolean;
  /** Makes a choice, after those that are being made. */
  readonly choose: (choice: string) => void;
  /** Makes the next choice of the schedule that was opened or taken back; absent: there is none. */
  readonly forward?: () => void;
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
  /** The next choice of the line. */
  readonly forward?: true;
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
  /** The longest schedule that continues the one that is shown: taking choices back does not shorten it. */
  const line = useRef<readonly string[]>([]);
  /** The tokens that a choice of this tab has made. */
  const madeHere = useRef(new Set<string>());

  const nextOfLine = (shown: StepView | undefined): string | undefined =>
    shown && line.current[shown.made.length];

  const run = async (order: Order): Promise<void> => {
    isBusy.current = true;
    setState((before) => ({ ...before, isBusy: true }));
    try {
      const before = order.token?.(view.current) ?? view.current?.token ?? token;
      const choice = order.forward === true ? nextOfLine(view.current) : order.choice;
      const next = await api.step(before, { ...order, ...(choice !== undefined && { choice }) });
      if ((order.choice ?? order.finish) !== undefined && next.token !== before)
        madeHere.current.add(next.token);
      if (!isBeginning(next.made, line.current)) line.current = next.made;
      view.current = next;
      setState({ view: next, isBusy: false });
      if (decodeURIComponent(window.location.pathname) !== `/step/${next.token}`)
        navigate(`/step/${next.token}`, { replace: true, state: { line: line.current } });
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
    if (following !== undefined && isPossible(following, view.current, nextOfLine(view.current)))
      void run(following);
    else waiting.current = [];
  };

  const order = (next: Order): void => {
    if (!isBusy.current) void run(next);
    else if (waiting.current.length < MAX_WAITING) waiting.current.push(next);
  };

  useEffect(() => {
    if (view.current?.token === token) return;
    view.current = undefined;
    line.current = keptLine();
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
    isMadeHere: state.view !== undefined && madeHere.current.has(state.view.token),
    ...(nextOfLine(state.view) !== undefined && {
      forward: () => {
        order({ forward: true });
      },
    }),
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
const isPossible = (
  { choice, forward }: Order,
  view: StepView | undefined,
  next: string | undefined,
): boolean =>
  forward === true
    ? next !== undefined
    : choice === undefined ||
      view?.controls.some((control) => control.choice === choice && control.disabled === undefined) === true;

/** Whether a schedule has made the first of these choices. */
export const isBeginning = (made: readonly string[], line: readonly string[]): boolean =>
  made.length <= line.length && made.every((choice, i) => choice === line[i]);

/** The line that this entry of the browser's history keeps over a reload. */
function keptLine(): readonly string[] {
  const { line } = (window.history.state ?? {}) as { readonly line?: unknown };
  return Array.isArray(line) ? line.map(String) : [];
}
