import { mkdir, readdir, rmdir } from 'node:fs/promises';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DependencyDown } from '../seam';
import { step } from '../seam';

/** Directories as locks, in one folder of this host: the file system lets one `mkdir` succeed. */
export class LockFolder {
  /** Creates the folder if need be. */
  constructor(private readonly folder: string) {
    mkdirSync(folder, { recursive: true });
  }

  /** True when the directory is ours now, false when there is one. */
  make(name: string): Promise<boolean> {
    return this.call('MKDIR', name, mkdir, 'EEXIST');
  }

  /** True when it was there. */
  remove(name: string): Promise<boolean> {
    return this.call('RMDIR', name, rmdir, 'ENOENT');
  }

  /** The names of all that are there, for the lab's own eyes. */
  list(): Promise<string[]> {
    return readdir(this.folder);
  }

  private call(
    verb: string,
    name: string,
    run: (path: string) => Promise<unknown>,
    no: string,
  ): Promise<boolean> {
    return step(
      () => ({ kind: 'fs', verb, text: `${verb} ${name}`, key: name }),
      async () => {
        try {
          await run(join(this.folder, name));
          return true;
        } catch (cause) {
          if ((cause as NodeJS.ErrnoException).code === no) return false;
          throw new DependencyDown('fs', `the folder of the locks cannot be used (${verb})`, { cause });
        }
      },
    );
  }
}
