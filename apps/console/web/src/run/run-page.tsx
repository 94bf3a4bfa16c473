import type { ReactNode } from 'react';
export function RunPage(_props: { id?: string | undefined; name?: string | undefined }): ReactNode {
  return <div className="page">Run</div>;
}
