import type { ReactNode } from 'react';
import { useTexts } from '../texts';
import { ExplorationForm } from './exploration-form';
import { ExplorationResult } from './exploration-result';
import '../styles/jobs.css';
import '../styles/explore.css';
import '../styles/step.css';

export function ExplorePage({ id }: { id: string | undefined }): ReactNode {
  const t = useTexts();
  return (
    <div className="page">
      <h1>{t.explore.title}</h1>
      {id === undefined ? (
        <>
          <p className="intro">{t.explore.intro}</p>
          <ExplorationForm />
        </>
      ) : (
        <ExplorationResult key={id} id={id} />
      )}
    </div>
  );
}
