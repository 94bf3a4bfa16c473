import { defineScript } from '#lab/strategy';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const script = <Args extends readonly (string | number)[]>(name: string, timeLeftAt?: number) =>
  defineScript<Args>(
    name,
    readFileSync(join(__dirname, '..', 'lua', `${name}.lua`), 'utf8'),
    undefined,
    timeLeftAt,
  );

/** The last argument of a script that needs the time: `clock.serverTime()`. */
type Time = number | string;

export const countWindow = script<[windowMs: number]>('count-window', 1);
export const logRequest = script<[max: number, windowMs: number, time: Time]>('log-request');
export const readLog = script<[windowMs: number, time: Time]>('read-log');
export const weighWindows = script<[max: number, windowMs: number, time: Time]>('weigh-windows');
export const conform = script<[interval: number, tolerance: number, time: Time]>('conform');
