import { chownSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The user that servers run as. */
export interface OsAccount {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * mariadbd and mysqld refuse to run as root, so a root that starts them lends them another account: `mysql`,
 * else `nobody`, if that account can reach the folder at all (a checkout in /root cannot be reached:
 * then root itself, said explicitly). Undefined when we are not root: servers run as whoever we are.
 */
export function serverAccount(folder: string): OsAccount | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const root: OsAccount = { name: 'root', uid: 0, gid: 0 };
  if (!everybodyCanReach(folder)) return root;
  return lookUp('mysql') ?? lookUp('nobody') ?? root;
}

/** Makes the account the owner of a file or folder that we have just created. */
export function give(path: string, account: OsAccount | undefined): void {
  if (account) chownSync(path, account.uid, account.gid);
}

/** The database servers run as root only when told so. */
export const asRoot = (account: OsAccount | undefined): string[] =>
  account?.uid === 0 ? ['--user=root'] : [];

function everybodyCanReach(folder: string): boolean {
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
