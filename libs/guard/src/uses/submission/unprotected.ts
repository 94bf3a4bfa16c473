import { DONE, type Guard } from '../../contract';
import { store } from './submissions';

export const unprotected: Guard = {
  name: 'submission/unprotected',
  mechanism: 'Store every submission.',
  defect: 'A double click, or a client that retries, is stored twice.',
  source: 'Duplicate submission, in every article on idempotent interfaces.',
  next: { guard: 'submission/expiring-key', why: 'refuses the same form for a while.' },
  options: ['workMs'],
  expected: { none: { must: ['duplicate'] } },

  async apply(form, { sql, work }) {
    await work();
    await store(sql, form);
    return DONE;
  },
};
