import { count, parseFaults } from '#lab/step';
import type { LoadPlan } from './plan';

/** No request of the run can meet its fault. The message begins with the wrong part of the plan. */
export class FaultCannotFire extends Error {
  readonly code = 'FAULT.UNSUPPORTED';

  constructor(
    readonly part: 'header' | 'on',
    message: string,
  ) {
    super(message);
    this.name = 'FaultCannotFire';
  }
}

/** Rejects a fault that cannot fire in this run, because the run would prove nothing. Throws `FaultCannotFire`. */
export function assertCanFire({ fault, requests, amountMinor }: LoadPlan): void {
  if (fault === undefined) return;
  const { on, header } = fault;
  const isOrder = amountMinor === undefined;
  if (on.kind !== 'first' && on.n > requests)
    throw new FaultCannotFire(
      'on',
      `${on.kind}=${on.n} never fires: the run has only ${isOrder ? count(requests, 'order') : count(requests, 'entry', 'entries')}`,
    );
  const reached = isOrder ? ['order', 'inventory'] : ['account'];
  const elsewhere = parseFaults(header).find(({ app }) => !reached.includes(app));
  if (elsewhere !== undefined)
    throw new FaultCannotFire(
      'header',
      `${elsewhere.source} never fires: ${isOrder ? 'orders do' : 'an entry does'} not reach the app ${elsewhere.app}, only ${reached.join(' and ')}. Write ${reached.at(-1) ?? ''}:${elsewhere.source.replace(/^[a-z]+:/, '')}`,
    );
}
