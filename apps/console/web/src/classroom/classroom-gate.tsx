import { createContext, useContext, useEffect, useState, type ReactNode } from 'react';
import { api } from '../api/client';
import { keepFor } from '../api/kept';
import { useRefusals } from '../api/membership';
import type { Classroom } from '../api/types';
import { useLoaded } from '../api/use-loaded';
import { JoinForm } from './join-form';

const POLL_MS = 3000;

/** `classroom` is undefined until the server has answered. */
interface Entrance {
  readonly classroom: Classroom | undefined;
  readonly enter: (classroom: Classroom) => void;
}

const Context = createContext<Entrance>({ classroom: undefined, enter: () => undefined });

const isOutsideOf = (classroom: Classroom): boolean => classroom.isOpen && classroom.member === undefined;

/** The class of this console; `isOpen` is false when there is none. */
export const useClassroom = (): Classroom => useContext(Context).classroom ?? { isOpen: false };

/** The server answers this browser: there is no class, or it has joined. */
export function useHasJoined(): boolean {
  const { classroom } = useContext(Context);
  return classroom !== undefined && !isOutsideOf(classroom);
}

/** In a class, a browser joins before it sees the views, and again when the teacher has removed it. */
export function ClassroomGate({ children }: { children: ReactNode }): ReactNode {
  const { classroom, enter } = useContext(Context);
  if (classroom === undefined) return null;
  return isOutsideOf(classroom) ? <JoinForm joined={enter} /> : children;
}

/** Asks for the class of this console, and notices when this browser has joined it or was removed. */
export function ClassroomProvider({ children }: { children: ReactNode }): ReactNode {
  const { value, problem, reload } = useLoaded('classroom', api.classroom);
  const [classroom, setClassroom] = useState<Classroom>();
  const enter = (found: Classroom): void => {
    if (found.member !== undefined) keepFor(found.member.name); // before the views read what is kept
    setClassroom(found);
  };
  useEffect(() => {
    if (value !== undefined) enter(value);
  }, [value]);
  useEffect(() => {
    // a console that cannot be reached: the views say so
    if (problem !== undefined) setClassroom((before) => before ?? { isOpen: false });
  }, [problem]);
  const refusals = useRefusals();
  useEffect(() => {
    // a browser that has not joined shows the form already
    if (refusals > 0 && classroom?.member !== undefined) reload();
  }, [refusals]);
  const isOutside = classroom !== undefined && isOutsideOf(classroom);
  useEffect(() => {
    if (!isOutside) return;
    // another tab of this browser may join: they have one cookie
    const timer = window.setInterval(reload, POLL_MS);
    return () => {
      window.clearInterval(timer);
    };
  }, [isOutside]);
  return <Context value={{ classroom, enter }}>{children}</Context>;
}
