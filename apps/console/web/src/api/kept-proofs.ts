/** What reaches a goal: the folder of a load run, the token of a schedule, or the id of an exploration. */
export type Proof = { readonly run: string } | { readonly token: string } | { readonly exploration: string };

const STORED = 'proofs';

/** The proofs that reached a goal in this browser, by goal: a class that does not know this browser any more gets them again. */
export function keptProofs(): Readonly<Record<string, Proof>> {
  try {
    return JSON.parse(localStorage.getItem(STORED) ?? '{}') as Record<string, Proof>;
  } catch {
    return {}; // not written by this page
  }
}

export function keepProof(goal: string, proof: Proof): void {
  localStorage.setItem(STORED, JSON.stringify({ ...keptProofs(), [goal]: proof }));
}

export function forgetProofs(): void {
  localStorage.removeItem(STORED);
}
