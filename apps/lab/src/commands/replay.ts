import {
  TokenSyntaxError,
  drawMermaid,
  readToken,
  receivePrints,
  replay,
  type ScheduleToken,
} from '#lab/explore';
import { UnknownGuard } from '#lab/guard';
import { UnknownLimiter } from '#lab/limit';
import { OWN } from '#lab/own';
import { NoCarts, UnknownStrategy } from '#lab/strategy';
import type { Command } from 'commander';
import { runCommand, writeJson, type Context } from '../command';
import { openExplorer } from '../explorer';
import { EXIT, Failure } from '../failure';
import { loadOwn } from '../own-file';
import { printSchedule } from '../print/lanes';

interface ReplayOptions {
  readonly mermaid?: true;
  readonly json?: string;
  readonly with?: string;
}

export function register(program: Command): void {
  program
    .command('replay')
    .argument('<token>', 'token printed by lab explore, or found in docs/matrix.md')
    .description('run a schedule again on real servers, and print the commands and replies of all actors')
    .option('--with <file>', 'the file with the lock of the token, for tokens of lab verify')
    .option('--mermaid', 'print a Mermaid sequence diagram instead')
    .option('--json <file>', 'write history and verdict as JSON')
    .action((token: string, options: ReplayOptions) =>
      runCommand(async (context) => replayToken(parseToken(token, options.with), options, context)),
    );
}

function parseToken(token: string, file: string | undefined): ScheduleToken {
  const loaded = file === undefined ? undefined : loadOwn(file);
  const own = loaded === undefined || 'definition' in loaded ? loaded : loaded.strategy;
  assertOwnFile(token, own?.name);
  try {
    return readToken(token, own);
  } catch (error) {
    const isUsage = [TokenSyntaxError, UnknownStrategy, UnknownGuard, UnknownLimiter, NoCarts].some(
      (kind) => error instanceof kind,
    );
    if (isUsage) throw new Failure((error as Error).message, EXIT.usage);
    throw error;
  }
}

/** Tokens of users' files can only be replayed with the file, which gives the strategy its name. */
function assertOwnFile(token: string, name: string | undefined): void {
  const [, wanted = ''] = token.split('.');
  if (!wanted.startsWith(OWN) || wanted === name) return;
  const file = wanted.slice(OWN.length);
  throw new Failure(
    name === undefined
      ? `this token belongs to a file of yours: give it by --with, for example --with ${file}.js`
      : `this token belongs to the file "${file}", and --with gives "${name.slice(OWN.length)}": rename the file to replay it`,
    EXIT.usage,
  );
}

async function replayToken(
  schedule: ScheduleToken,
  { mermaid, json }: ReplayOptions,
  context: Context,
): Promise<number> {
  const { pool, conditions, stop } = await openExplorer(context, 0, [schedule.setup.strategy]);
  context.onEnd(stop);
  receivePrints((text, actor) => {
    context.progress.say(`${actor ?? 'when it is loaded'} prints: ${text}`);
  });
  const { history, verdict, sameCode } = await replay(pool.world, schedule);
  context.progress.clear();
  process.stdout.write(`${(mermaid === true ? drawMermaid : printSchedule)(history, verdict)}\n`);
  if (!sameCode && schedule.hash !== '')
    context.progress.say(
      `the code of ${history.strategy} has changed since this token was printed; the schedule still reproduces`,
    );
  if (json !== undefined) writeJson(json, { history, verdict, sameCode, conditions });
  return EXIT.ok;
}
