import type { ReactNode } from 'react';
import { useTexts } from '../texts';
import { useClassroom } from './classroom-gate';
import '../styles/classroom.css';

/** The address and the code of the class, large, for the projector of the teacher; renders nothing for others. */
export function JoinBanner(): ReactNode {
  const t = useTexts();
  const { code, urls = [] } = useClassroom();
  const [first, ...others] = urls;
  if (code === undefined) return null;
  return (
    <section className="panel join-banner" aria-label={t.classroom.title}>
      <p>
        <span>{t.classroom.address}</span> <strong>{first}</strong>
      </p>
      {others.length > 0 && (
        <p className="join-others">
          <span>{t.classroom.otherAddresses}</span> {others.join('  ')}
        </p>
      )}
      <p>
        <span>{t.classroom.code}</span> <strong>{code}</strong>
      </p>
    </section>
  );
}
