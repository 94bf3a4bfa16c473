import { count } from '#lab/step';
import type { Crash, Finder } from '#load-tests/crash';
import { renderTable } from './table';
import { wrap } from './wrap';

/** How many crashes were recovered from, by case; then those that were not, or all of them with `verbose`. */
export function printCrashes(crashes: readonly Crash[], verbose: boolean): string {
  const failed = crashes.filter(({ wrong }) => wrong.length > 0);
  const names = [...new Set(crashes.map(({ name }) => name))];
  const all = count(crashes.length, 'crash', 'crashes');
  const shown = verbose ? crashes : failed;
  return [
    failed.length === 0 ? `✓ RECOVERED from all ${all}` : `✗ NOT RECOVERED from ${failed.length} of ${all}`,
    '',
    renderTable({
      head: ['strategy', 'crashes', 'by the reconciler', 'by the client alone', 'not recovered'],
      rows: names.map((name) => {
        const own = crashes.filter((crash) => crash.name === name);
        return [
          name,
          own.length,
          recovered(own, 'reconciler'),
          recovered(own, 'client'),
          own.filter(({ wrong }) => wrong.length > 0).length,
        ];
      }),
    }),
    ...(shown.length === 0 ? [] : ['', crashTable(shown)]),
    ...failed.flatMap(({ name, fault, finder, wrong }) =>
      wrong.map((sentence) => wrap(`${name}, ${fault}, ${finder}: ${sentence}`, 2)),
    ),
  ].join('\n');
}

/** Recovered of all that this finder had to find; empty: none. */
function recovered(crashes: readonly Crash[], finder: Finder): string {
  const own = crashes.filter((crash) => crash.finder === finder);
  return own.length === 0 ? '' : `${own.filter(({ wrong }) => wrong.length === 0).length}/${own.length}`;
}

const crashTable = (crashes: readonly Crash[]): string =>
  renderTable({
    head: [
      'strategy',
      'app',
      'killed',
      'state after the crash',
      'recovered by',
      'answer to the retry',
      'recovered',
    ],
    rows: crashes.map((crash) => [
      crash.name,
      crash.app,
      `${crash.when} ${crash.step}`,
      [...new Set(crash.left.map(leftWords))].join('; '),
      crash.finder,
      answerWords(crash.answeredAgain),
      crash.wrong.length === 0 ? 'yes' : 'NO',
    ]),
  });

function leftWords({ taken, orders }: Crash['left'][number]): string {
  if (taken === 0 && orders.length === 0) return 'nothing';
  return `${taken === 0 ? 'no movement' : 'movement'}, ${orders.length === 0 ? 'no order' : 'order'}`;
}

const answerWords = ({ status, code, isReplayed, waited }: Crash['answeredAgain']): string =>
  [
    code === 'APPLIED' ? `${status}` : `${status} ${code}`,
    ...(isReplayed ? ['replayed'] : []),
    ...(waited > 0 ? ['after Retry-After'] : []),
  ].join(', ');
