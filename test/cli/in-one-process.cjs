// Runs many command lines in one process, because most of the time of a command with bad usage goes into loading its modules.
// Argument: the main file of the command line. Standard input: a JSON array of argument lists. Standard output: a JSON array of
// { code, stdout, stderr }, one for each of them.
const { text } = require('node:stream/consumers');

const [, , main] = process.argv;

/** Thrown in place of the end of the process. */
class Exited extends Error {}
process.on('unhandledRejection', (error) => {
  if (!(error instanceof Exited)) throw error;
});

const print = process.stdout.write.bind(process.stdout);

/** Runs one command line until it ends the process. */
function run(args) {
  const result = { code: null, stdout: '', stderr: '' };
  process.argv = [process.execPath, main, ...args];
  for (const name of ['stdout', 'stderr'])
    process[name].write = (chunk) => {
      result[name] += chunk;
      return true;
    };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal);
  process.stdout.removeAllListeners('error');
  return new Promise((resolve) => {
    process.exit = (code) => {
      resolve({ ...result, code });
      throw new Exited();
    };
    delete require.cache[main];
    require(main);
  });
}

async function runAll() {
  const results = [];
  for (const args of JSON.parse(await text(process.stdin))) results.push(await run(args));
  print(`${JSON.stringify(results)}\n`);
}

void runAll();
