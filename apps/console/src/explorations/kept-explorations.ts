import { strategyHash } from '#lab/explore';
import { CATALOGUE } from '#lab/strategy';
import { beyond, newestFirst, removePaths } from '#load-tests/results';
import { Injectable } from '@nestjs/common';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ConsoleOptions } from '../console-options';
import { ExplorationView } from './schemas';

/** Three for each member of a full class; a file has some 10 KB. The oldest ones are removed. */
const MAX_KEPT = 300;
/** The id of a job. Nothing else becomes part of a path. */
const ID = /^[0-9a-f]{12}$/;

/** `code`: the hash of the strategy that was explored. An exploration of other code proves nothing. */
const kept = z.object({ code: z.string(), view: ExplorationView.schema });

/** Explorations that have proved a goal, each in a file, so that the proof survives a restart of the console. */
@Injectable()
export class KeptExplorations {
  constructor(private readonly options: ConsoleOptions) {}

  /** Writes the exploration, unless it is kept already. Throws when the file cannot be written. */
  keep(view: ExplorationView): void {
    const file = this.fileOf(view.job.id);
    if (existsSync(file)) return;
    mkdirSync(this.options.proofFolder, { recursive: true });
    const unfinished = `${file}.${process.pid}`;
    writeFileSync(unfinished, JSON.stringify({ code: codeOf(view), view }));
    renameSync(unfinished, file);
    this.removeOld();
  }

  /** Undefined: it is not kept, its file cannot be read, or the code of its strategy has changed. */
  find(id: string): ExplorationView | undefined {
    if (!ID.test(id)) return undefined;
    try {
      const { code, view } = kept.parse(JSON.parse(readFileSync(this.fileOf(id), 'utf8')));
      return code === codeOf(view) ? view : undefined;
    } catch {
      return undefined;
    }
  }

  private removeOld(): void {
    const { proofFolder } = this.options;
    const files = readdirSync(proofFolder).map((name) => join(proofFolder, name));
    removePaths(beyond(newestFirst(files), MAX_KEPT));
  }

  private fileOf(id: string): string {
    return join(this.options.proofFolder, `${id}.json`);
  }
}

/** Undefined: the catalogue no longer has the strategy. */
function codeOf({ strategy: name }: ExplorationView): string | undefined {
  const strategy = CATALOGUE.find((one) => one.name === name);
  return strategy && strategyHash(strategy);
}
