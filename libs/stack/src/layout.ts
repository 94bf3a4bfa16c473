import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type OsAccount, give, serverAccount } from './os-account';

/** The folders of one stack. Data, logs and history of an earlier stack in the same folder are removed. */
export class Layout {
  readonly historyDir: string;
  /** The folder for locks that are directories. */
  readonly lockDir: string;
  /** Initialized database folders, one per server version, which the stacks beside this one copy. */
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

  /** Removes the data of one server, but not its log. */
  removeDataOf(name: string): void {
    rmSync(this.dataPath(name), { recursive: true, force: true });
  }

  /** Removes all servers' data, which the next start would discard anyway. Logs and history stay. */
  removeData(): void {
    rmSync(this.data, { recursive: true, force: true });
  }
}
