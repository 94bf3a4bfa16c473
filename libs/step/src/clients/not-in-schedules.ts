/** A command or statement cannot be explored. */
export class NotInSchedules extends Error {
  readonly code = 'EXPLORE.COMMAND';

  constructor(command: string, why: string) {
    super(`${command} ${why}`);
    this.name = 'NotInSchedules';
  }
}

const HAS_ABSOLUTE_TIME =
  'has an absolute time, and the time of a schedule is not that of Redis: use PX, EX or PEXPIRE';

/** Commands with an absolute time, commands with an option that is one, and that option. */
const AT_A_TIME = /^h?p?expireat$/;
const WITH_OPTION = /^h?(set|getex|setex)$/;
const OPTION = /^(PX|EX)AT$/i;
/** A script that uses one of them. */
const SCRIPT_AT_A_TIME = /(["'])((PX|EX)AT|H?P?EXPIREAT)\1/i;

/** Why a Lua script cannot be explored; undefined: it can. */
export const whyNotScript = (source: string): string | undefined =>
  SCRIPT_AT_A_TIME.test(source) ? HAS_ABSOLUTE_TIME : undefined;

/** Why a Redis command cannot be explored, whatever its client is; undefined: it can. `name` is in lower case. */
export function whyNotCommand(name: string, args: readonly unknown[]): string | undefined {
  const some = (pattern: RegExp): boolean => args.some((arg) => typeof arg === 'string' && pattern.test(arg));
  const isAtATime =
    AT_A_TIME.test(name) ||
    (WITH_OPTION.test(name) && some(OPTION)) ||
    (/^(eval|script)$/.test(name) && some(SCRIPT_AT_A_TIME));
  return isAtATime ? HAS_ABSOLUTE_TIME : undefined;
}
