import { ALREADY_DONE, DONE, type Guard } from '../../contract';
import { whenInterrupted, whenLockEnds } from '../../shared/expected';
import { actionKey, underLock } from '../../shared/action-lock';
import { isNoted, note, send } from './notifications';

export const lock: Guard = {
  name: 'notification/lock',
  mechanism: 'Acquire the lock, look, send, note, release: the four steps of the articles.',
  defect:
    'A crash between sending and noting leaves a sent message that is not noted: the next request sends it again. A lease that ends early has the same effect.',
  source: 'The articles on distributed locks: "execute a scheduled notification once".',
  next: {
    guard: 'notification/outbox',
    why: 'notes first that the message must be sent, and lets the gateway refuse the second one.',
  },
  options: ['leaseMs', 'waitMs', 'wait', 'retryMs', 'workMs'],
  needs: ['gateway'],
  expected: {
    ...whenInterrupted('duplicate'),
    ...whenLockEnds('duplicate'),
  },

  apply(order, tools) {
    const { sql, work } = tools;
    return underLock(actionKey('notification', 'lock', order), tools, async () => {
      if (await isNoted(sql, order)) return ALREADY_DONE;
      await work();
      await send(order, tools);
      await note(sql, order);
      return DONE;
    });
  },
};
