import autocannon from 'autocannon';
import { clientAnswer, requestOf, type BuyerRequest } from './buyer-request';
import { ANSWER_TIMEOUT_MS, type Inbox } from './inbox';
import { readAnswer } from './order-client';
import type { LoadPlan } from './plan';

/** What autocannon keeps of a request until its answer arrives. */
type RequestContext = Partial<BuyerRequest> & { at?: number };

/** autocannon ends, or obeys `stop`, at the next tick. */
const TICK_MS = 100;

/** Sends the load with autocannon: each of some buyers sends its next request after its answer. */
export async function sendClosedLoop(
  url: string,
  plan: LoadPlan,
  run: string,
  { sent: onSent, answered, signal }: Inbox,
): Promise<void> {
  const begun = performance.now();
  let sent = 0;
  const load: autocannon.Options = {
    url,
    connections: Math.min(plan.connections, plan.requests),
    amount: plan.requests,
    timeout: ANSWER_TIMEOUT_MS / 1000,
    sampleInt: TICK_MS,
    requests: [
      {
        method: 'POST',
        setupRequest: (req, context) => {
          const request = requestOf(plan, run, ++sent);
          onSent();
          Object.assign(context as RequestContext, request, { at: performance.now() - begun });
          return {
            ...req,
            path: request.path,
            headers: request.headers,
            body: JSON.stringify(request.body),
          };
        },
        onResponse: (status, text, context, headers) => {
          const { id = '?', at = 0, cart } = context as RequestContext;
          const times = { at, tookMs: performance.now() - begun - at };
          const answer = readAnswer(status, headers, text);
          answered(clientAnswer(plan, answer, { id, cart }, times), text);
        },
      },
    ],
  };
  await fire(load, signal);
}

/** Runs autocannon to its end, or until the signal is aborted. */
function fire(load: autocannon.Options, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const instance = autocannon(load, (error: unknown) => {
      signal?.removeEventListener('abort', stop);
      if (error instanceof Error) reject(error);
      else resolve();
    });
    const stop = (): void => {
      instance.stop();
    };
    signal?.addEventListener('abort', stop);
  });
}
