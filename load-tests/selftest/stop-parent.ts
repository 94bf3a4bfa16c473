import { stateOf } from '#lab/stack';

/**
 * Stops its parent process for the requested milliseconds, on each message, and answers whether the parent was seen stopped.
 * It ends with its parent, and never leaves it stopped.
 */
const parent = process.ppid;

process.on('message', (ms: number) => {
  process.kill(parent, 'SIGSTOP');
  setTimeout(() => {
    const wasStopped = stateOf(parent) === 'T';
    process.kill(parent, 'SIGCONT');
    process.send?.(wasStopped);
  }, ms);
});
process.on('disconnect', () => process.exit());
