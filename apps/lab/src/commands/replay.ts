import {
  NoLongerReproduces,
  TokenSyntaxError,
  drawLanes,
  drawMermaid,
  readToken,
  replay,
  type ScheduleToken,
} from '#lab/explore';
import { NoCarts, UnknownStrategy } from '#lab/strategy';
import type { Command } from 'commander';
import { runCommand, writeJson, type Context } from '../command';
import { openExplorer } from '../explorer';
import { EXIT, Failure } from '../failure';

interface ReplayOptions {
  readonly mermaid?: true;
  readonly json?: string;
}

export function register(program: Command): void {
  program
    .command('replay')
    .argument('<token>', 'what lab explore or docs/matrix.md printed')
    .description('play a schedule again on real servers: every command and reply, side by side')
    .option('--mermaid', 'print a Mermaid sequence diagram instead')
    .option('--json <file>', 'write history and verdict as JSON')
    .action((token: string, options: ReplayOptions) =>
      runCommand(async (context) => replayToken(readRecipe(token), options, context)),
    );
}

function readRecipe(token: string): ScheduleToken {
  try {
    return readToken(token);
  } catch (error) {
    if (error instanceof TokenSyntaxError || error instanceof UnknownStrategy || error instanceof NoCarts)
      throw new Failure(error.message, EXIT.usage);
    throw error;
  }
}

async function replayToken(
  recipe: ScheduleToken,
  { mermaid, json }: ReplayOptions,
  context: Context,
): Promise<number> {
  const { pool, conditions, stop } = await openExplorer(context, 1, [recipe.setup.strategy]);
  context.onEnd(stop);
  const played = await replay(pool.world, recipe).catch((error: unknown) => {
    if (error instanceof NoLongerReproduces) throw new Failure(error.message, EXIT.unknown);
    throw error;
  });
  const { history, verdict, sameCode } = played;
  context.progress.clear();
  process.stdout.write(`${(mermaid === true ? drawMermaid : drawLanes)(history, verdict)}\n`);
  if (!sameCode)
    context.progress.say(`the code of ${history.strategy} has changed since; the schedule still reproduces`);
  if (json !== undefined) writeJson(json, { history, verdict, sameCode, conditions });
  return EXIT.ok;
}
