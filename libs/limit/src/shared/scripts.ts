import { defineScript } from '#lab/strategy';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const script = <Args extends readonly (string | number)[]>(name: string) =>
  defineScript<Args>(name, readFileSync(join(__dirname, '..', 'lua', `${name}.lua`), 'utf8'));

/** The last argument of each script: `clock.serverTime()`. */
type Time = number | string;

export const countWindow = script<[max: number, windowMs: number, time: Time]>('count-window');
export const logRequest = script<[max: number, windowMs: number, id: string, time: Time]>('log-request');
export const readLog = script<[windowMs: number, time: Time]>('read-log');
export const weighWindows = script<[max: number, windowMs: number, time: Time]>('weigh-windows');
export const takeToken = script<[perMs: number, capacity: number, time: Time]>('take-token');
export const joinQueue = script<[intervalMs: number, longestWaitMs: number, time: Time]>('join-queue');
