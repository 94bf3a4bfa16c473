import { find, type Needed, NEEDED, ON_DEMAND, type Program } from './programs';

export interface Finding {
  readonly name: string;
  /** Absent when it is missing. */
  readonly found?: Program;
  readonly neededFor: string;
  /** Installed when it is asked for, and not before. */
  readonly onDemand: boolean;
  /** Commands, each of which gets it. */
  readonly get: { readonly apt: string; readonly brew: string; readonly docker: string };
}

/** What the lab needs on this machine, what is there, and how to get the rest. */
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
