import type { ReactNode } from 'react';
export function CataloguePage(_props: { id?: string | undefined; name?: string | undefined }): ReactNode {
  return <div className="page">Catalogue</div>;
}
