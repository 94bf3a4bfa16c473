import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client';
import { useLoaded } from '../api/use-loaded';
import { ProblemMessage } from '../shared/problem-message';
import { useLanguage, useTexts } from '../texts';

/** All lessons, in the language of the page. */
export function LessonList(): ReactNode {
  const t = useTexts();
  const { language } = useLanguage();
  const { value: lessons, problem } = useLoaded(`lessons/${language}`, () => api.lessons(language));
  return (
    <section>
      <h2>{t.lessons.walkthroughs}</h2>
      {problem !== undefined && <ProblemMessage problem={problem} />}
      <ol className="goals">
        {lessons?.map(({ id, number, title, minutes }) => (
          <li key={id} className="goal">
            <span className="lesson-number">{number}</span>
            <Link href={`/lessons/${id}`}>{title}</Link>
            <small>{t.lessons.minutes(minutes)}</small>
          </li>
        ))}
      </ol>
    </section>
  );
}
