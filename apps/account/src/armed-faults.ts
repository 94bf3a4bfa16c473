import type { Fault } from '#lab/step';

/** The faults of a request that makes several entries: each fires once, in the first entry that reaches its step. */
export class ArmedFaults {
  private unfired: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    this.unfired = faults;
  }

  /** The faults that have not fired, which the next entry carries. */
  get all(): readonly Fault[] {
    return this.unfired;
  }

  readonly onFault = (fired: Fault): void => {
    this.unfired = this.unfired.filter((fault) => fault !== fired);
  };
}
