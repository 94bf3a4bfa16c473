import { keep, kept } from './kept';

/** What reaches a goal: the folder of a load run, the token of a schedule, or the id of an exploration. */
export type Proof = { readonly run: string } | { readonly token: string } | { readonly exploration: string };

/** The proofs of a student, by goal: a class that does not know this browser any more gets them again. */
export function keptProofs(): Readonly<Record<string, Proof>> {
  try {
    return JSON.parse(kept('proofs') || '{}') as Record<string, Proof>;
  } catch {
    return {}; // not written by this page
  }
}

export function keepProof(goal: string, proof: Proof): void {
  keep('proofs', JSON.stringify({ ...keptProofs(), [goal]: proof }));
}
