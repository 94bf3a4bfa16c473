import { DependencyDown } from '../seam';

/**
 * Resolves with the reply; rejects with `DependencyDown` when there is none within `ms`. After SIGSTOP … SIGCONT the timer
 * is overdue while the reply may already be in the socket: two turns of the event loop read it first.
 */
export function answered<T>(server: string, what: string, ms: number, reply: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      setImmediate(() =>
        setImmediate(() => {
          reject(new DependencyDown(server, `${server} did not answer ${what} within ${ms} ms`));
        }),
      );
    }, ms);
    reply.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}
