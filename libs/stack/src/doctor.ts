import { find, type Needed, NEEDED, ON_DEMAND, type Program } from './programs';

export interface Finding {
  readonly name: string;
  /** Absent when the program is not installed. */
  readonly found?: Program;
  readonly neededFor: string;
  /** Installed only when a command needs it. */
  readonly onDemand: boolean;
  /** Alternative commands that install or replace it. */
  readonly get: { readonly apt: string; readonly brew: string; readonly docker: string };
}

/** The programs that the lab needs: which are installed, and how to install the others. */
export const doctor = (): Finding[] => [
  ...Object.values(NEEDED).map((needed) => examine(needed, false)),
  ...Object.values(ON_DEMAND).map((needed) => examine(needed, true)),
];

function examine(needed: Needed, onDemand: boolean): Finding {
  const found = find(needed);
  return {
    name: needed.name,
    ...(found && { found }),
    neededFor: needed.neededFor,
    onDemand,
    get: {
      apt: `apt-get install --no-install-recommends ${needed.apt[0] ?? ''}`,
      brew: `brew install ${needed.brew}`,
      docker: `docker compose up (${needed.docker})`,
    },
  };
}
