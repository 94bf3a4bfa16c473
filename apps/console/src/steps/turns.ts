/** Bounds the work of each member that is done at the same time; further work of this member waits, in order. */
export class Turns {
  private readonly members = new Map<string, { atWork: number; readonly waiting: (() => void)[] }>();

  constructor(private readonly most: number) {}

  async run<T>(member: string, work: () => Promise<T>): Promise<T> {
    const own = this.members.get(member) ?? { atWork: 0, waiting: [] };
    this.members.set(member, own);
    if (own.atWork < this.most) own.atWork++;
    else await new Promise<void>((resolve) => own.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = own.waiting.shift();
      if (next !== undefined)
        next(); // it takes the place over
      else if (--own.atWork === 0) this.members.delete(member);
    }
  }
}
