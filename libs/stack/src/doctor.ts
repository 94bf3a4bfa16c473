import { find, LOAD_TOOLS, type Needed, NEEDED, ON_DEMAND, type Program } from './programs';

export interface Finding {
  readonly name: string;
  /** Absent when the program is not installed. */
  readonly found?: Program;
  readonly neededFor: string;
  /** `always`: every lab needs it. `on demand`: installed when a command needs it. `optional`: never installed by the lab. */
  readonly need: 'always' | 'on demand' | 'optional';
  /** Alternative commands that install or replace it. */
  readonly get: { readonly apt: string; readonly brew: string; readonly docker: string };
}

/** The programs that the lab needs or can use: which are installed, and how to install the others. */
export const doctor = (): Finding[] => [
  ...Object.values(NEEDED).map((needed) => examine(needed, 'always')),
  ...Object.values(ON_DEMAND).map((needed) => examine(needed, 'on demand')),
  ...Object.values(LOAD_TOOLS).map((needed) => examine(needed, 'optional')),
];

function examine(needed: Needed, need: Finding['need']): Finding {
  const found = find(needed);
  return {
    name: needed.name,
    ...(found && { found }),
    neededFor: needed.neededFor,
    need,
    get: {
      apt: `apt-get install --no-install-recommends ${needed.apt[0] ?? ''}`,
      brew: `brew install ${needed.brew}`,
      docker: `docker compose up (${needed.docker})`,
    },
  };
}
