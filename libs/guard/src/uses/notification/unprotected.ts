import { ALREADY_DONE, DONE, type Guard } from '../../contract';
import { isNoted, note, send } from './notifications';

export const unprotected: Guard = {
  name: 'notification/unprotected',
  mechanism: 'Look whether the message was sent, send it, note it: three steps, no lock.',
  defect: 'Two requests both look before either has noted: the message is sent twice.',
  source: 'Check-then-act, as in every article that introduces distributed locks.',
  next: { guard: 'notification/lock', why: 'lets one request at a time look, send and note.' },
  options: ['workMs'],
  needs: ['gateway'],
  expected: { none: { must: ['duplicate'] }, kill: { must: ['duplicate'] } },

  async apply(order, tools) {
    const { sql, work } = tools;
    if (await isNoted(sql, order)) return ALREADY_DONE;
    await work();
    await send(order, tools);
    await note(sql, order);
    return DONE;
  },
};
