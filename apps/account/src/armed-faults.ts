import type { Fault } from '#lab/step';

/** The faults of a request that makes several entries: each fires once, in the first entry that reaches its step. */
export class ArmedFaults {
  private left: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    this.left = faults;
  }

  /** Those that have not fired: what an entry carries. */
  get all(): readonly Fault[] {
    return this.left;
  }

  readonly onFault = (fired: Fault): void => {
    this.left = this.left.filter((fault) => fault !== fired);
  };
}
