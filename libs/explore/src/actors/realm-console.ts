import { currentScope } from '#lab/step';
import { Console } from 'node:console';
import { Writable } from 'node:stream';

/** Receives what the code of a realm prints. `actor`: whose request prints it; undefined while its file is loaded. */
export type PrintListener = (text: string, actor: string | undefined) => void;

let listener: PrintListener | undefined;

/** From now on `receive` gets what the realms of this thread print. */
export function receivePrints(receive: PrintListener): void {
  listener = receive;
}

/**
 * The `console` of all realms of this thread. What foreign code prints is the same in thousands of schedules: without a listener it
 * is discarded.
 */
export const realmConsole = new Console(
  new Writable({
    write(chunk, _, done) {
      listener?.(String(chunk).trimEnd(), currentScope()?.actor);
      done();
    },
  }),
);
