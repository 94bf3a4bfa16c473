import { offer, type Offered, type OpenLoop } from '#load-tests/arrivals';
import { clientAnswer, requestOf } from './buyer-request';
import type { Inbox } from './inbox';
import { readAnswer } from './order-client';
import type { LoadPlan } from './plan';

/** Sends each request at its time, whatever the answers do. Resolves with the rate that was really offered. */
export const sendOpenLoop = (
  url: string,
  plan: LoadPlan,
  loop: OpenLoop,
  run: string,
  { sent, answered, signal }: Inbox,
): Promise<Offered> =>
  offer(url, loop, {
    signal,
    request: (number) => {
      sent();
      const { path, headers, body } = requestOf(plan, run, number);
      return { path, headers, body: JSON.stringify(body) };
    },
    onEnd: ({ number, dueAt, sentAt, endedAt, answer }) => {
      if (answer === undefined) return;
      const { status, headers, text } = answer;
      const times = { at: sentAt, tookMs: endedAt - sentAt, lateMs: sentAt - dueAt };
      answered(
        clientAnswer(plan, readAnswer(status, headers, text), requestOf(plan, run, number), times),
        text,
      );
    },
  });
