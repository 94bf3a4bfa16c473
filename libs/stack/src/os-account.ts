import { chownSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The user that servers run as. */
export interface OsAccount {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * mariadbd and mysqld refuse to run as root. When this process is root, servers run as `mysql`, or else as `nobody`. If
 * these accounts cannot reach the folder (a checkout in /root), servers run as root, with an explicit option.
 * Undefined when this process is not root: servers run as the same user.
 */
export function serverAccount(folder: string): OsAccount | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const root: OsAccount = { name: 'root', uid: 0, gid: 0 };
  if (!isReachableByAll(folder)) return root;
  return lookUp('mysql') ?? lookUp('nobody') ?? root;
}

/** Makes the account the owner of a file or folder that this process has just created. */
export function give(path: string, account: OsAccount | undefined): void {
  if (account) chownSync(path, account.uid, account.gid);
}

/** The database servers refuse to run as root without this option. */
export const asRoot = (account: OsAccount | undefined): string[] =>
  account?.uid === 0 ? ['--user=root'] : [];

function isReachableByAll(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

function lookUp(name: string): OsAccount | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid && gid ? { name, uid: Number(uid), gid: Number(gid) } : undefined;
}
