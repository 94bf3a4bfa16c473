import { defineScript } from '#lab/strategy';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const script = <Args extends readonly (string | number)[]>(name: string) =>
  defineScript<Args>(name, readFileSync(join(__dirname, '..', 'lua', `${name}.lua`), 'utf8'));

/** `clock.serverTime()`: the last argument of a script that needs the time. */
export type Time = number | string;

export const readPage = script<[time: Time]>('read-page');
export const storePage =
  script<[text: string, builtBy: string, buildMs: number, freshMs: number, time: Time]>('store-page');
export const storePages = script<[builtBy: string, ...expiriesMs: number[]]>('store-pages');
