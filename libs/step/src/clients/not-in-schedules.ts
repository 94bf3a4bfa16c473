import { getLocksIn, withoutTexts } from './named-locks';

/** A command or statement cannot be explored. */
export class NotInSchedules extends Error {
  readonly code = 'EXPLORE.COMMAND';

  constructor(command: string, why: string) {
    super(`${command} ${why}`);
    this.name = 'NotInSchedules';
  }
}

const HAS_ABSOLUTE_TIME =
  'has an absolute time, and the time of a schedule is not that of Redis: use PX, EX or PEXPIRE, and PTTL instead of PEXPIRETIME';

/** Commands that set or reply an absolute time, commands with an option that is one, and that option. */
const AT_A_TIME = /^h?p?expire(at|time)$/;
const WITH_OPTION = /^h?(set|getex|setex)$/;
const OPTION = /^(PX|EX)AT$/i;
/** A script that uses one of them. */
const SCRIPT_AT_A_TIME = /(["'])((PX|EX)AT|H?P?EXPIRE(AT|TIME))\1/i;

const USES_OTHER_DATA =
  'uses another Redis database, or a part of the server that is not emptied before each schedule: use the database of connect, and prepare the server in setUp';

/** Commands that use, or empty, another database of Redis. */
const IN_OTHER_DATABASE = /^(select|move|swapdb|flushall)$/;
/** Commands that change what FLUSHDB does not restore, and how a connection is answered. */
const CHANGES_SERVER: Readonly<Record<string, RegExp>> = {
  function: /^(LOAD|DELETE|FLUSH|RESTORE)$/i,
  script: /^(FLUSH|KILL)$/i,
  config: /^SET$/i,
  client: /^(REPLY|PAUSE|TRACKING|CACHING)$/i,
  copy: /^DB$/i,
};
/** A script that uses one of the former. */
const SCRIPT_IN_OTHER_DATABASE = /\bp?call\(\s*(["'])(SELECT|MOVE|SWAPDB|FLUSHALL)\1/i;

/** Why a Lua script cannot be explored; undefined: it can. */
export function whyNotScript(source: string): string | undefined {
  if (SCRIPT_IN_OTHER_DATABASE.test(source)) return USES_OTHER_DATA;
  return SCRIPT_AT_A_TIME.test(source) ? HAS_ABSOLUTE_TIME : undefined;
}

/** Why a Redis command cannot be explored, whatever its client is; undefined: it can. `name` is in lower case. */
export function whyNotCommand(name: string, args: readonly unknown[]): string | undefined {
  const isSome = (given: readonly unknown[], pattern: RegExp): boolean =>
    given.some((arg) => typeof arg === 'string' && pattern.test(arg));
  const options = name === 'copy' ? args.slice(2) : args.slice(0, 1);
  const changes = CHANGES_SERVER[name];
  if (IN_OTHER_DATABASE.test(name) || (changes !== undefined && isSome(options, changes)))
    return USES_OTHER_DATA;
  const script = /^(eval|script)$/.test(name) ? args.find((arg) => isSome([arg], /call/)) : undefined;
  if (typeof script === 'string') return whyNotScript(script);
  const isAtATime = AT_A_TIME.test(name) || (WITH_OPTION.test(name) && isSome(args, OPTION));
  return isAtATime ? HAS_ABSOLUTE_TIME : undefined;
}

/** Statements that change the server for all its sessions, end another session, or leave a transaction that no session ends. */
const CHANGES_DATABASE_SERVER =
  /^(?:SET (?:.*, ?)?(?:GLOBAL |@@global\.)|SET PASSWORD\b|(?:KILL|SHUTDOWN|INSTALL|UNINSTALL|GRANT|REVOKE|XA PREPARE)\b|(?:CREATE|ALTER|DROP|RENAME) (?:OR REPLACE )?(?:USER|ROLE)\b)/i;

/** What a name of GET_LOCK must not contain: another session has another value of it. */
const OF_SESSION =
  /@|\b(?:DATABASE|SCHEMA|CONNECTION_ID|(?:CURRENT_|SESSION_|SYSTEM_)?USER|LAST_INSERT_ID|ROW_COUNT|FOUND_ROWS)\s*\(/i;

/** Statements that may wait for a row, or evaluate a name for each row. */
const USES_TABLE = /\b(?:FROM(?! DUAL\b)|UPDATE|INSERT|REPLACE INTO|DELETE)\b/i;

/** Why a statement of SQL cannot be explored; undefined: it can. */
export function whyNotStatement(text: string): string | undefined {
  if (CHANGES_DATABASE_SERVER.test(text))
    return 'changes the database server, or another session, and the next schedule would find what it leaves: do it in setUp';
  const names = getLocksIn(text);
  if (names.length > 1) return 'requests several locks by name: request each in a statement of its own';
  if (names.length === 1 && USES_TABLE.test(withoutTexts(text)))
    return 'requests a lock by name, and uses a table: request the lock in a statement of its own';
  if (names.some((name) => OF_SESSION.test(withoutTexts(name))))
    return 'requests a lock whose name only its session knows: give the name as a value';
  return undefined;
}
