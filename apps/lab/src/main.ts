import { Command, CommanderError } from 'commander';
import { register as bench } from './commands/bench';
import { register as cheatSheet } from './commands/cheat-sheet';
import { register as clean } from './commands/clean';
import { register as crashMatrix } from './commands/crash-matrix';
import { register as demo } from './commands/demo';
import { register as doctor } from './commands/doctor';
import { register as drill } from './commands/drill';
import { register as exercise } from './commands/exercise';
import { register as explore } from './commands/explore';
import { register as fuzz } from './commands/fuzz';
import { register as guards } from './commands/guards';
import { register as interview } from './commands/interview';
import { register as lesson } from './commands/lesson';
import { register as limit } from './commands/limit';
import { register as load } from './commands/load';
import { register as lostReplies } from './commands/lost-replies';
import { register as matrix } from './commands/matrix';
import { register as nested } from './commands/nested';
import { register as newFile } from './commands/new-file';
import { register as replay } from './commands/replay';
import { register as selftest } from './commands/selftest';
import { register as soak } from './commands/soak';
import { register as strategies } from './commands/strategies';
import { register as up } from './commands/up';
import { register as verdict } from './commands/verdict';
import { register as verify } from './commands/verify';
import { checkOutputs } from './commands/outputs';
import { EXIT, Failure, oneLine } from './failure';

process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit(EXIT.ok); // the reader, for example `head`, has closed the pipe
});

const program = new Command('lab')
  .description('Oversell Lab: shows why stock is oversold, and which lock prevents it')
  .configureHelp({ showGlobalOptions: true, minWidthToWrap: 20 })
  .exitOverride();

// subcommands inherit exitOverride only when it is set before they are added
for (const register of [
  up,
  demo,
  load,
  guards,
  lesson,
  limit,
  verdict,
  verify,
  strategies,
  bench,
  cheatSheet,
  doctor,
  clean,
  drill,
  exercise,
  explore,
  fuzz,
  nested,
  newFile,
  lostReplies,
  crashMatrix,
  replay,
  matrix,
  interview,
  soak,
  selftest,
])
  register(program);

/** One line, also when commander suggests another option on a second one. */
const outputError = (text: string, write: (text: string) => void): void => {
  write(`${oneLine(text)}\n`);
};
for (const command of program.commands.flatMap((one) => [one, ...one.commands])) {
  command.configureOutput({ outputError });
  checkOutputs(command);
}

program.parseAsync().catch((error: unknown) => {
  if (error instanceof Failure) {
    process.stderr.write(`${error.message}\n`);
    process.exit(error.exitCode);
  }
  if (!(error instanceof CommanderError)) throw error;
  process.exit(error.exitCode === 0 ? EXIT.ok : EXIT.usage);
});
