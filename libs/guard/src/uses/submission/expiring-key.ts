import { ALREADY_DONE, DONE, type Guard } from '../../contract';
import { whenInterrupted, whenLockEnds } from '../../shared/expected';
import { actionKey } from '../../shared/action-lock';
import { store } from './submissions';

export const expiringKey: Guard = {
  name: 'submission/expiring-key',
  mechanism: 'SET NX PX on user and form. The key is never deleted: it refuses repetitions until it expires.',
  defect:
    'A repetition after the expiry is stored again. When the handler fails after SET, the key stays, and the retry of the user is refused although nothing was stored.',
  source: 'The articles on duplicate submission with Redis: "SETNX with an expiry of a few seconds".',
  next: {
    guard: 'submission/unique-key',
    why: 'decides where the row is stored, for as long as it is there.',
  },
  options: ['leaseMs', 'workMs'],
  expected: {
    ...whenInterrupted('missing'),
    ...whenLockEnds('duplicate'),
  },

  async apply(form, { redis, sql, options, work }) {
    const key = actionKey('submission', 'expiring-key', form);
    const isFirst = await redis.set(key, form.request, 'PX', options.leaseMs, 'NX');
    if (isFirst === null) return ALREADY_DONE;
    await work();
    await store(sql, form);
    return DONE;
  },
};
