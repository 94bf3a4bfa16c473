import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client';
import { useLoaded } from '../api/use-loaded';
import { isAbsent, NotFound } from '../shared/not-found';
import { ProblemMessage } from '../shared/problem-message';
import { usePageTitle } from '../shell/page-title';
import { useLanguage, useTexts } from '../texts';
import '../styles/lessons.css';

/** One lesson. Its HTML comes from the console, which renders the pages of walkthroughs/. */
export function LessonPage({ id }: { id: string }): ReactNode {
  const t = useTexts();
  const { language } = useLanguage();
  const { value: lesson, problem } = useLoaded(`lesson/${id}/${language}`, () => api.lesson(id, language));
  usePageTitle(lesson?.title);
  return (
    <div className="page">
      <p>
        <Link href="/lessons">← {t.lessons.all}</Link>
      </p>
      {problem !== undefined &&
        (isAbsent(problem) ? (
          <NotFound text={t.lessons.unknown(id)} href="/lessons" back={t.lessons.all} />
        ) : (
          <ProblemMessage problem={problem} />
        ))}
      {lesson === undefined && problem === undefined && <p>{t.common.loading}</p>}
      {lesson !== undefined && (
        <article className="lesson" dangerouslySetInnerHTML={{ __html: lesson.html }} />
      )}
    </div>
  );
}
