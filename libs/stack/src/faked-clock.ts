import { renameSync, writeFileSync } from 'node:fs';
import { demand, ON_DEMAND } from './programs';

/**
 * The clock of one server, which can be set while the server runs: libfaketime answers its questions for the time of day.
 * The monotonic clock stays the machine's, as it does when an administrator or NTP sets a clock.
 */
export class FakedClock {
  /** What the server's process must have in its environment. */
  readonly env: Readonly<Record<string, string>>;

  /** `file` says how far ahead the clock is; the server's account must be able to read it. */
  constructor(private readonly file: string) {
    this.set(0);
    this.env = {
      // without libc behind it redis-server does not start
      LD_PRELOAD: `${demand(ON_DEMAND.faketime).file ?? ''}:libc.so.6`,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  /** From now on it is so many seconds ahead of the machine's clock; negative: behind. */
  set(secondsAhead: number): void {
    const draft = `${this.file}.new`;
    writeFileSync(draft, `${secondsAhead < 0 ? '' : '+'}${secondsAhead}s\n`, { mode: 0o644 });
    renameSync(draft, this.file); // never read half written
  }
}
