import { page } from '#lab/http';
import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

const upTo = (most: number): RegExp => new RegExp(`^[\\w.-]{1,${most}}$`);
const name = (what: string, most: number) =>
  z.string().regex(upTo(most), `${what} has 1 to ${most} letters, digits, ".", "_" or "-"`);

const MOST_MINOR = 1_000_000_000;
const id = name('an account', 48).describe('id of the account');
const amountMinor = z
  .int()
  .min(-MOST_MINOR)
  .max(MOST_MINOR)
  .refine((amount) => amount !== 0, 'the amount of an entry must not be 0')
  .describe('in the smallest unit of the currency; below zero: a debit');
const text = z
  .string()
  .regex(/^[^\p{Cc}\p{Cs}]{1,200}$/u, 'a text has 1 to 200 characters, none of them a control character')
  .describe('purpose of the entry');

/** The body of POST /accounts/:id/entries and POST /accounts/:id/pending, and each line of an import. */
export const entry = z.strictObject({ amountMinor, text: text.optional() });
export type EntryRequest = z.infer<typeof entry>;

export class AccountParams extends createZodDto(z.strictObject({ id })) {}
export class EntryBody extends createZodDto(entry) {}
export class PageQuery extends createZodDto(z.strictObject(page)) {}
/** Maximum length of a batch id. A batch that is sent again must have the same id. */
const LONGEST_BATCH = 40;
export const BATCH_ID = upTo(LONGEST_BATCH);
export const batch = name('a batch', LONGEST_BATCH).describe('id of the batch');

export class ResetBody extends createZodDto(
  z.strictObject({
    account: id,
    balanceMinor: z.int().min(0).max(MOST_MINOR).describe('in the smallest unit of the currency'),
  }),
) {}
export class ReconcileBody extends createZodDto(z.strictObject({ account: id })) {}
export class ScanBody extends createZodDto(
  z.strictObject({
    everyMs: z
      .int()
      .min(0)
      .max(3_600_000)
      .describe('interval at which each replica settles pending entries, milliseconds; 0: never'),
  }),
) {}
