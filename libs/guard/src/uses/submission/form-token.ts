import { defineScript, run } from '#lab/strategy';
import { ALREADY_DONE, DONE, type Guard } from '../../contract';
import { whenInterrupted } from '../../shared/expected';
import { store } from './submissions';

/** The key of the token that the server issued with the form. */
export const formTokenKey = (form: string): string => `form-token:{${form}}`;

/** Returns 1 to the one who deletes the token. Compares, so that a token of another form does not count. */
const consume = defineScript<[token: string]>(
  'consume-form-token',
  `if redis.call('GET', KEYS[1]) == ARGV[1] then
     return redis.call('DEL', KEYS[1])
   end
   return 0`,
);

export const formToken: Guard = {
  name: 'submission/form-token',
  mechanism:
    'The server issues a token with the form; one Lua script compares and deletes it before the form is stored.',
  defect:
    'Exactly one request gets the token, however long the user waits. When its handler fails after that, the form is lost: the token is gone, and the retry is refused.',
  source: 'Synchronizer token; the articles on idempotency with a token in Redis.',
  next: { guard: 'submission/unique-key', why: 'refuses and stores in one statement.' },
  options: ['workMs'],
  expected: {
    ...whenInterrupted('missing'),
  },

  async apply(form, { redis, sql, work }) {
    const isFirst = (await run(redis, consume, formTokenKey(form.key), form.key)) === 1;
    if (!isFirst) return ALREADY_DONE;
    await work();
    await store(sql, form);
    return DONE;
  },
};
