import { mkdir, readdir, rmdir } from 'node:fs/promises';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DependencyDown, step, whenTrue, type LockCommand } from '../seam';

/** Directories as locks, in one folder of this host: the file system lets only one `mkdir` succeed. */
export class LockFolder {
  /** Creates the folder if needed. */
  constructor(private readonly folder: string) {
    mkdirSync(folder, { recursive: true });
  }

  /** Creates the directory. False when it exists. */
  make(name: string): Promise<boolean> {
    return this.call('MKDIR', name, mkdir, 'EEXIST', whenTrue('acquire'));
  }

  /** Deletes the directory. False when it does not exist. */
  remove(name: string): Promise<boolean> {
    return this.call('RMDIR', name, rmdir, 'ENOENT', whenTrue('release'));
  }

  /** The names of all directories; not a step: only the lab uses it. */
  list(): Promise<string[]> {
    return readdir(this.folder);
  }

  private call(
    verb: string,
    name: string,
    run: (path: string) => Promise<unknown>,
    failure: string,
    lock: LockCommand,
  ): Promise<boolean> {
    return step(
      () => ({ kind: 'fs', verb, text: `${verb} ${name}`, key: name, lock }),
      async () => {
        try {
          await run(join(this.folder, name));
          return true;
        } catch (cause) {
          if ((cause as NodeJS.ErrnoException).code === failure) return false;
          throw new DependencyDown('fs', `the lock folder cannot be used (${verb}). Check LOCK_DIR`, {
            cause,
          });
        }
      },
    );
  }
}
