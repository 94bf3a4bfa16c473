import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Problem } from '../api/types';
import { useTexts } from '../texts';

/** The server has nothing of this name, or the name cannot be one. */
export const isAbsent = ({ status }: Problem): boolean => status === 404 || status === 400;

/** The address names nothing: why, in the words of the page, and a link back. */
export function NotFound({ text, href, back }: { text?: string; href: string; back: string }): ReactNode {
  const t = useTexts();
  return (
    <div className="problem" role="alert">
      <h1>{t.common.notFound}</h1>
      {text !== undefined && <p>{text}</p>}
      <p className="actions">
        <Link className="button" href={href}>
          {back}
        </Link>
      </p>
    </div>
  );
}
