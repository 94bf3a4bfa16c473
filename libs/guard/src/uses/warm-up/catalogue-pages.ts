import { run } from '#lab/strategy';
import { DONE, type Action, type Done, type GuardTools } from '../../contract';
import { storePages } from '../../shared/scripts';

/** How long a page stays in the cache at least, milliseconds. */
export const EXPIRY_MS = 60_000;

/** The keys of all pages of a catalogue. */
export const pagesOf = (catalogue: string): readonly [string, ...string[]] => {
  const pageOf = (number: number): string => `catalogue-page:{${catalogue}}:${number}`;
  return [pageOf(1), ...Array.from({ length: 99 }, (_, i) => pageOf(i + 2))];
};

/** Builds all pages of a catalogue and puts them into the cache, each with its own expiry. */
export async function fill(
  { key: catalogue, request }: Action,
  { sql, redis, work }: GuardTools,
  expiryMs: () => number,
): Promise<Done> {
  await work();
  await sql.query('INSERT INTO warm_up (catalogue, request) VALUES (?, ?)', [catalogue, request]);
  const pages = pagesOf(catalogue);
  await run(redis, storePages, pages, request, ...pages.map(expiryMs));
  return DONE;
}
