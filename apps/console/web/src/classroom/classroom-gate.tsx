import { createContext, useContext, useEffect, useState, type ReactNode } from 'react';
import { api } from '../api/client';
import { keepFor } from '../api/kept';
import { useRefusals } from '../api/membership';
import type { Classroom } from '../api/types';
import { useLoaded } from '../api/use-loaded';
import { JoinForm } from './join-form';

const POLL_MS = 3000;

const Context = createContext<Classroom>({ isOpen: false });

/** The class of this console; `isOpen` is false when there is none. */
export const useClassroom = (): Classroom => useContext(Context);

/** In a class, a browser joins before it sees the views, and again when the teacher has removed it. */
export function ClassroomGate({ children }: { children: ReactNode }): ReactNode {
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
  const isOutside = classroom?.isOpen === true && classroom.member === undefined;
  useEffect(() => {
    if (!isOutside) return;
    // another tab of this browser may join: they have one cookie
    const timer = window.setInterval(reload, POLL_MS);
    return () => {
      window.clearInterval(timer);
    };
  }, [isOutside]);
  if (classroom === undefined) return null;
  return <Context value={classroom}>{isOutside ? <JoinForm joined={enter} /> : children}</Context>;
}
