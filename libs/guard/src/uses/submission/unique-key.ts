import { ALREADY_DONE, DONE, type Guard } from '../../contract';
import { inserted } from '../../shared/sql';

export const uniqueKey: Guard = {
  name: 'submission/unique-key',
  mechanism: 'INSERT with a unique key on the form: the database accepts one row.',
  defect:
    'Correct: the decision and the row are one statement, so that a crash leaves both or neither. Both requests do the work before the database refuses one of them.',
  source: 'Idempotency keys: Stripe API; draft-ietf-httpapi-idempotency-key-header-07.',
  next: {
    guard: 'submission/idempotency-key',
    why: 'does the work once, and repeats the first answer.',
  },
  options: ['workMs'],
  expected: {},

  async apply({ key: form, request }, { sql, work }) {
    await work();
    const row = sql.query('INSERT INTO submission (form, once, request) VALUES (?, ?, ?)', [
      form,
      form,
      request,
    ]);
    return (await inserted(row)) ? DONE : ALREADY_DONE;
  },
};
