import { count } from '#lab/step';
import type { Contradiction } from '../chain';
import { balanceWords, type BalanceKind } from './balance-words';
import type { DeadlockCycle } from './deadlock-cycles';
import type { ForeignRelease, ForeignRenewal } from './holders';
import type { Outpaced } from './outpaced';
import type { Refusal } from './refusals';
import type { Duplicate } from './stock';

/**
 * A reason for the verdict on a load run. `code` is stable; scripts and other verdicts compare it. `reasonText` makes the
 * text for people, which no code compares.
 */
export type Reason =
  // violations
  | { readonly code: 'oversold'; readonly units: number }
  | {
      readonly code: 'lost-update';
      readonly updates: number;
      readonly credits: boolean;
      /** A remaining value that was sold twice, or null. */
      readonly duplicate: Duplicate | null;
    }
  | { readonly code: 'overlap'; readonly times: number }
  | { readonly code: 'foreign-release'; readonly releases: readonly ForeignRelease[] }
  | { readonly code: 'foreign-renewal'; readonly renewals: readonly ForeignRenewal[] }
  | { readonly code: 'stuck'; readonly keys: readonly string[] }
  | { readonly code: 'refused-with-stock'; readonly buyers: number }
  | { readonly code: 'leaked'; readonly units: number; readonly credits: boolean }
  | { readonly code: 'movement-without-order'; readonly requests: readonly string[] }
  | { readonly code: 'order-without-movement'; readonly requests: readonly string[] }
  | { readonly code: 'applied-without-rows'; readonly requests: readonly string[] }
  | { readonly code: 'sold-but-refused'; readonly requests: readonly string[] }
  | { readonly code: 'key-with-orders'; readonly keys: readonly string[] }
  | { readonly code: 'other-units'; readonly requests: readonly string[] }
  | { readonly code: 'unavailable'; readonly server: string }
  | { readonly code: 'dead-lock'; readonly cycles: readonly DeadlockCycle[] }
  | { readonly code: 'torn-cart'; readonly requests: readonly string[] }
  // why the data is right, or an excuse for a violation
  | { readonly code: 'exact'; readonly credits: boolean }
  | { readonly code: 'refused-stale'; readonly refusals: readonly Refusal[] }
  | { readonly code: 'lease-outpaced'; readonly outpaced: readonly Outpaced[] }
  // missing parts of the proof
  | { readonly code: 'no-contention'; readonly acrossReplicas: boolean }
  | { readonly code: 'fault-not-fired'; readonly fault: string }
  | { readonly code: 'fault-not-witnessed'; readonly fault: string }
  | { readonly code: 'fault-missed-holder'; readonly fault: string; readonly request: string }
  | { readonly code: 'fault-without-waiters'; readonly fault: string }
  | { readonly code: 'not-at-rest'; readonly running: readonly string[] }
  | { readonly code: 'nothing-sold'; readonly initial: number }
  | { readonly code: 'undocumented-answers'; readonly answers: number; readonly example: string }
  | { readonly code: 'refused-by-servers'; readonly buyers: number }
  | { readonly code: 'server-not-needed'; readonly server: string }
  | { readonly code: 'history-dropped'; readonly replicas: readonly string[]; readonly bytes: number }
  | { readonly code: 'reused-request-ids'; readonly requests: number }
  | { readonly code: 'commands-without-order'; readonly commands: number }
  | { readonly code: 'broken-chain'; readonly contradiction: Contradiction };

/** One reason as a clause, for people, in the words for the kind of balance. */
export function reasonText(reason: Reason, kind: BalanceKind): string {
  const { balance, movement, overtaken, order, anOrder } = balanceWords(
    kind,
    'credits' in reason && reason.credits,
  );
  const isStock = kind === 'stock';
  switch (reason.code) {
    case 'oversold':
      return `${count(reason.units, 'unit')} ${overtaken}`;
    case 'lost-update':
      return (
        `${count(reason.updates, 'update')} lost: ` +
        (reason.credits
          ? 'entered, and not in the balance'
          : `${isStock ? 'sold' : 'debited'}, and still in the ${balance}`) +
        duplicateText(reason.duplicate, isStock && !reason.credits)
      );
    case 'overlap':
      return `a lock had two holders at work ${count(reason.times, 'time')}`;
    case 'foreign-release':
      return foreignText('deleted', reason.releases);
    case 'foreign-renewal':
      return foreignText('renewed', reason.renewals);
    case 'stuck':
      return `${reason.keys.join(', ')} never ends, and no request is left to release it`;
    case 'refused-with-stock':
      return isStock
        ? `${count(reason.buyers, 'buyer')} refused as sold out with stock left`
        : `${count(reason.buyers, 'debit')} refused although the balance was enough`;
    case 'leaked':
      return `${count(reason.units, 'unit')} ${reason.credits ? 'in the balance without an entry' : `gone from the ${balance} without ${isStock ? 'a sale' : 'an entry'}`}`;
    case 'movement-without-order':
      return `${count(reason.requests.length, 'movement')} without ${anOrder}, e.g. that of ${reason.requests[0] ?? ''}`;
    case 'order-without-movement':
      return `${count(reason.requests.length, order)} without a movement, e.g. that of ${reason.requests[0] ?? ''}`;
    case 'applied-without-rows':
      return `${count(reason.requests.length, 'request')} answered APPLIED without ${isStock ? 'an order or ' : ''}a movement, e.g. ${reason.requests[0] ?? ''}`;
    case 'sold-but-refused':
      return `${count(reason.requests.length, 'request')} sold, but answered as not sold, e.g. ${reason.requests[0] ?? ''}`;
    case 'key-with-orders':
      return `${count(reason.keys.length, 'Idempotency-Key')} with more than one order, e.g. ${reason.keys[0] ?? ''}`;
    case 'other-units':
      return `${count(reason.requests.length, 'request')} with movements of more or fewer units than ordered, e.g. ${reason.requests[0] ?? ''}`;
    case 'unavailable':
      return `no ${isStock ? 'order' : movement} succeeded while ${reason.server} was down`;
    case 'dead-lock':
      return deadlockText(reason.cycles);
    case 'torn-cart':
      return `${count(reason.requests.length, 'cart')} sold in part, e.g. that of ${reason.requests[0] ?? ''}`;
    case 'exact':
      return isStock && !reason.credits
        ? 'each unit was sold once, under contention'
        : 'each entry is in the balance, under contention';
    case 'refused-stale':
      return refusalText(reason.refusals);
    case 'lease-outpaced':
      return outpacedText(reason.outpaced);
    case 'no-contention':
      return `no two requests ran at the same time ${reason.acrossReplicas ? 'on different replicas' : 'in the replica'}`;
    case 'fault-not-fired':
      return `the fault ${reason.fault} never fired`;
    case 'fault-not-witnessed':
      return `no other process observed the fault ${reason.fault}`;
    case 'fault-missed-holder':
      return `${reason.request} held no lock when ${reason.fault} fired`;
    case 'fault-without-waiters':
      return `no other request was running when ${reason.fault} fired`;
    case 'not-at-rest':
      return reason.running.length === 0
        ? 'requests were active while the rows were read'
        : `${count(reason.running.length, 'request')} did not finish, e.g. ${reason.running[0] ?? ''}`;
    case 'nothing-sold':
      return isStock ? `0 sold of ${reason.initial}` : 'nothing was entered';
    case 'undocumented-answers':
      return `${count(reason.answers, 'answer')} that the shop does not document, e.g. ${reason.example}`;
    case 'refused-by-servers':
      return `${isStock ? `${count(reason.buyers, 'buyer')} received DEPENDENCY.DOWN with stock left` : `${count(reason.buyers, 'request')} received DEPENDENCY.DOWN although the balance was enough`}, although the run stopped no server`;
    case 'server-not-needed':
      return `${reason.server} was down, but no request used it`;
    case 'history-dropped':
      return `the history of ${reason.replicas.join(' and ')} no longer has its beginning: ${reason.bytes.toLocaleString('en')} bytes were dropped (HISTORY_LIMIT_MB)`;
    case 'reused-request-ids':
      return `${count(reason.requests, 'request')} reused the id of another request`;
    case 'commands-without-order':
      return `${count(reason.commands, 'lock command')} without a position in the server's order`;
    case 'broken-chain':
      return reason.contradiction.sentence;
  }
}

function duplicateText(duplicate: Duplicate | null, sales: boolean): string {
  if (duplicate === null) return '';
  const sellers = duplicate.sales.slice(0, 2).map(({ request, replica }) => `${request} on ${replica}`);
  return sales
    ? `; "${duplicate.value} left" was sold by ${sellers.join(' and by ')}`
    : `; ${duplicate.value} was the new balance of ${sellers.join(' and of ')}`;
}

const foreignText = (verb: string, [first, ...more]: readonly (ForeignRelease | ForeignRenewal)[]): string =>
  first === undefined
    ? ''
    : `${first.by} ${verb} the lock of ${first.owner}${more.length > 0 ? `, and ${more.length} more` : ''}`;

const deadlockText = ([first, ...more]: readonly DeadlockCycle[]): string =>
  first === undefined
    ? ''
    : `${count(more.length + 1, 'deadlock')}: requests waited for each other, e.g. ` +
      first.waiters.map(({ request, waitsFor }) => `${request} for ${waitsFor}`).join(' and ');

function refusalText(refusals: readonly Refusal[]): string {
  const statement = refusals.find((refusal) => refusal.statement !== null)?.statement;
  const stale = `${count(refusals.length, 'stale request')} ${refusals.length === 1 ? 'was' : 'were'} refused`;
  return statement === undefined || statement === null
    ? `${stale}: the holder had detected the loss of its lock`
    : `${stale} by the row: ${statement} changed no row`;
}

const outpacedText = ([first, ...more]: readonly Outpaced[]): string =>
  first === undefined
    ? ''
    : `the lease of ${first.leaseMs} ms is too short for this machine: ${first.request} on ${first.replica} wrote ` +
      `${first.lateMs.toFixed(1)} ms after it had expired${more.length === 0 ? '' : ` (and ${count(more.length, 'other request')})`}; ` +
      'the effect is that of a pause, use a longer lease';
