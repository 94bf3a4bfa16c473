import type { LostReply } from '#lab/explore';
import { count } from '#lab/step';
import { renderTable } from './table';
import { wrap } from './wrap';

const LOCK_STATES: Readonly<Record<LostReply['truth'], string>> = {
  'the lock is free': 'free',
  'the lock is held, until its lease ends': 'held until its lease ends',
  'the lock is held, for ever': 'held forever',
};

/** How many lost replies lead to a violation, and those; all of them with `verbose`. */
export function printLostReplies(rows: readonly LostReply[], verbose: boolean): string {
  const harmful = rows.filter(({ violations }) => violations.length > 0);
  const forever = rows.filter(({ truth }) => truth === 'the lock is held, for ever').length;
  const shown = verbose ? rows : harmful;
  return [
    wrap(
      `${harmful.length} of ${count(rows.length, 'lost reply', 'lost replies')} lead to a violation; ${forever} leave a lock that never ends`,
      2,
    ),
    ...(verbose || harmful.length === rows.length
      ? []
      : ['--verbose also prints those that lead to no violation.']),
    '',
    renderTable({
      head: [
        'strategy',
        'reply to',
        ...(verbose ? ['command'] : []),
        'A receives',
        'lock',
        'B receives',
        'violations',
      ],
      rows: shown.map(({ strategy, asked, command, believes, truth, next, violations }) => [
        strategy,
        asked,
        ...(verbose ? [command] : []),
        believes,
        LOCK_STATES[truth],
        next,
        violations.join(', '),
      ]),
    }),
  ].join('\n');
}
