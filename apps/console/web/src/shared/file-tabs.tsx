import type { ReactNode } from 'react';

/** A button for each source file; `badges`: what is shown beside its name. */
export function FileTabs({
  label,
  files,
  shown,
  show,
  badges,
}: {
  label: string;
  files: readonly string[];
  shown: string;
  show: (file: string) => void;
  badges?: (file: string) => ReactNode;
}): ReactNode {
  return (
    <div className="tabs" role="group" aria-label={label}>
      {files.map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === shown}
          onClick={() => {
            show(name);
          }}
        >
          {name.replace(/^(strategies|shared|lua)\//, '')}
          {badges?.(name)}
        </button>
      ))}
    </div>
  );
}
