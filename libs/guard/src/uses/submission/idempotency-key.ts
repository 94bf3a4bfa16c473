import { DONE, type Guard } from '../../contract';
import { inserted } from '../../shared/sql';

export const idempotencyKey: Guard = {
  name: 'submission/idempotency-key',
  mechanism:
    'As unique-key, and the row is inserted first, in the transaction in which the work is done: a repetition waits for its end, and receives the first answer.',
  defect:
    'Correct, and the work is done once. A repetition occupies a connection while it waits, and the client must repeat its key: a form that is opened twice has two keys.',
  source: 'Idempotency keys: Stripe API; draft-ietf-httpapi-idempotency-key-header-07.',
  next: { why: 'nothing: this is how Idempotency-Key works.' },
  options: ['workMs'],
  expected: {},

  async apply({ key: form, request }, { sql, work }) {
    await sql.transaction(async (tx) => {
      const row = tx.query('INSERT INTO submission (form, once, request) VALUES (?, ?, ?)', [
        form,
        form,
        request,
      ]);
      if (await inserted(row)) await work();
    });
    return DONE;
  },
};
