import type { Use } from '../../contract';
import { expiringKey } from './expiring-key';
import { formToken, formTokenKey } from './form-token';
import { idempotencyKey } from './idempotency-key';
import { uniqueKey } from './unique-key';
import { unprotected } from './unprotected';

export const submission: Use = {
  name: 'submission',
  action: 'Store a form that a user submits, once.',
  endpoint: 'POST /forms/{key}/submissions',
  rules: { effect: 'submission of form', second: 'duplicate', isPromised: true },
  tables: ['submission'],
  keyColumn: 'form',
  async effects({ query }) {
    const rows = await query('SELECT form, request FROM submission ORDER BY id');
    return (rows as { form: string; request: string }[]).map(({ form, request }) => ({ key: form, request }));
  },
  async prepare(forms, { redis }) {
    for (const form of forms) await redis.set(formTokenKey(form), form);
  },
  guards: [unprotected, expiringKey, formToken, uniqueKey, idempotencyKey],
};
