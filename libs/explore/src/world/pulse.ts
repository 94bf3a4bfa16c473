/** Where an actor is: shared by a worker thread with the thread that waits for it. */
export interface Whereabouts {
  /** `A`. */
  readonly actor: string;
  /** Its last answered step, `SET lock:{item}:expiring`; empty: none yet. */
  readonly after: string;
}

/** `after "SET lock:{item}:setnx"`, or `after its start`. */
export const afterText = (step: string): string => `after ${step === '' ? 'its start' : `"${step}"`}`;

const MAX_TEXT = 400;
const BEATS = 0;
const LENGTH = 1;
const HEADER = 8;

/**
 * Shared memory of a worker thread and the thread that waits for it. The worker shows that its event loop turns, and what its
 * actors did last. A strategy that loops without end blocks its thread: it can neither answer nor send a message, but
 * what it wrote before can be read.
 */
export class Pulse {
  private readonly numbers: Int32Array;
  private readonly text: Uint8Array;
  private readonly encoder = new TextEncoder();

  constructor(readonly memory = new SharedArrayBuffer(HEADER + MAX_TEXT)) {
    this.numbers = new Int32Array(memory, 0, 2);
    this.text = new Uint8Array(memory, HEADER, MAX_TEXT);
  }

  /** The event loop turned. */
  beat(): void {
    Atomics.add(this.numbers, BEATS, 1);
  }

  get beats(): number {
    return Atomics.load(this.numbers, BEATS);
  }

  /** The code of this actor runs now. */
  note({ actor, after }: Whereabouts): void {
    const { written } = this.encoder.encodeInto(`${actor} ${after}`, this.text);
    Atomics.store(this.numbers, LENGTH, written);
  }

  /** What was noted last; undefined: nothing. */
  get whereabouts(): Whereabouts | undefined {
    const bytes = this.text.slice(0, Atomics.load(this.numbers, LENGTH)); // a decoder refuses shared memory
    const [actor = '', ...after] = new TextDecoder().decode(bytes).split(' ');
    return actor === '' ? undefined : { actor, after: after.join(' ') };
  }
}
