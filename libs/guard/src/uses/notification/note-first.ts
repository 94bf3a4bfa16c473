import { ALREADY_DONE, DONE, type Guard } from '../../contract';
import { whenInterrupted, whenLockEnds } from '../../shared/expected';
import { actionKey, underLock } from '../../shared/action-lock';
import { isNoted, note, send } from './notifications';

export const noteFirst: Guard = {
  name: 'notification/note-first',
  mechanism: 'Acquire the lock, look, note, then send: at most once.',
  defect:
    'A crash between noting and sending loses the message: every later request believes that it was sent.',
  source: 'At-most-once delivery; Kleppmann, "Designing Data-Intensive Applications", chapter 11.',
  next: { guard: 'notification/outbox', why: 'distinguishes "must be sent" from "was sent".' },
  options: ['leaseMs', 'waitMs', 'wait', 'retryMs', 'workMs'],
  needs: ['gateway'],
  expected: {
    ...whenInterrupted('missing'),
    ...whenLockEnds('duplicate'),
  },

  apply(order, tools) {
    const { sql, work } = tools;
    return underLock(actionKey('notification', 'note-first', order), tools, async () => {
      if (await isNoted(sql, order)) return ALREADY_DONE;
      await work();
      await note(sql, order);
      await send(order, tools);
      return DONE;
    });
  },
};
