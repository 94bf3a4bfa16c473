import type { ReactNode } from 'react';
export function LessonsPage(_props: { id?: string | undefined; name?: string | undefined }): ReactNode {
  return <div className="page">Lessons</div>;
}
