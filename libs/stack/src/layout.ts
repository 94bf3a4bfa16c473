import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type OsAccount, give, serverAccount } from './os-account';

/** The folders of one stack. Data, logs and history of an earlier stack in the same place are removed. */
export class Layout {
  readonly historyDir: string;
  /** Locks that are directories. */
  readonly lockDir: string;
  /** Ready data folders that stacks of this place copy, one per server version. */
  readonly templates: string;
  readonly account: OsAccount | undefined;
  private readonly data: string;
  private readonly logs: string;

  constructor(dir: string) {
    this.historyDir = join(dir, 'history');
    this.lockDir = join(dir, 'locks');
    this.templates = join(dirname(dir), 'template');
    this.data = join(dir, 'data');
    this.logs = join(dir, 'logs');
    for (const folder of [this.data, this.logs, this.historyDir, this.lockDir]) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
    }
    this.account = serverAccount(this.data);
    mkdirSync(this.templates, { recursive: true });
    give(this.data, this.account);
    give(this.templates, this.account);
  }

  log(name: string): string {
    return join(this.logs, `${name}.log`);
  }

  /** A folder that the server's account owns. */
  dataFolder(...parts: string[]): string {
    const folder = join(this.data, ...parts);
    mkdirSync(folder, { recursive: true });
    give(folder, this.account);
    return folder;
  }

  dataPath(...parts: string[]): string {
    return join(this.data, ...parts);
  }

  /** What one server has written; its log stays. */
  removeDataOf(name: string): void {
    rmSync(this.dataPath(name), { recursive: true, force: true });
  }

  /** Servers' data is not worth keeping: the next start begins with fresh schemas. Logs and history stay. */
  removeData(): void {
    rmSync(this.data, { recursive: true, force: true });
  }
}
