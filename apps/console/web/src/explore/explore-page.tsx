import type { ReactNode } from 'react';
export function ExplorePage(_props: { id?: string | undefined; name?: string | undefined }): ReactNode {
  return <div className="page">Explore</div>;
}
