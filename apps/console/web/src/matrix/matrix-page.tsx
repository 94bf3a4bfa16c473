import type { ReactNode } from 'react';
export function MatrixPage(_props: { id?: string | undefined; name?: string | undefined }): ReactNode {
  return <div className="page">Matrix</div>;
}
