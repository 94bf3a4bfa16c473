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
          {shortName(name, files)}
          {badges?.(name)}
        </button>
      ))}
    </div>
  );
}

const withoutFolder = (file: string): string => file.replace(/^(strategies|shared|lua)\//, '');

/** The name without its folder, unless another file of the list has the same one. */
const shortName = (file: string, files: readonly string[]): string =>
  files.some((other) => other !== file && withoutFolder(other) === withoutFolder(file))
    ? file
    : withoutFolder(file);
