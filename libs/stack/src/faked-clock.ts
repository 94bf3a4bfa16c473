import { renameSync, writeFileSync } from 'node:fs';
import { demand, ON_DEMAND } from './programs';

/**
 * The wall clock of one server, which can be set while the server runs: libfaketime intercepts its reads of the time of day.
 * The monotonic clock is not faked, just as it is unaffected when an administrator or NTP sets the wall clock.
 */
export class FakedClock {
  /** The environment of the server's process. */
  readonly env: Readonly<Record<string, string>>;

  /** `file` holds the clock's offset; the server's account must be able to read it. */
  constructor(private readonly file: string) {
    this.set(0);
    this.env = {
      // redis-server does not start without libc after libfaketime
      LD_PRELOAD: `${demand(ON_DEMAND.faketime).file ?? ''}:libc.so.6`,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  /** Sets the clock this many seconds ahead of the machine's; negative: behind. */
  set(secondsAhead: number): void {
    const draft = `${this.file}.new`;
    writeFileSync(draft, `${secondsAhead < 0 ? '' : '+'}${secondsAhead}s\n`, { mode: 0o644 });
    renameSync(draft, this.file); // atomic: a partly written file is never read
  }
}
