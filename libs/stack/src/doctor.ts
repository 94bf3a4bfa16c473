import { find, type Needed, NEEDED, type Program } from './programs';

export interface Finding {
  readonly name: string;
  /** Absent when it is missing. */
  readonly found?: Program;
  readonly neededFor: string;
  /** Commands, each of which gets it. */
  readonly get: { readonly apt: string; readonly brew: string; readonly docker: string };
}

/** What the lab needs on this machine, what is there, and how to get the rest. */
export function doctor(): Finding[] {
  return Object.values(NEEDED).map((needed: Needed) => {
    const found = find(needed);
    return {
      name: needed.name,
      ...(found && { found }),
      neededFor: needed.neededFor,
      get: {
        apt: `apt-get install --no-install-recommends ${needed.apt[0] ?? ''}`,
        brew: `brew install ${needed.brew}`,
        docker: `docker compose up (${needed.docker})`,
      },
    };
  });
}
