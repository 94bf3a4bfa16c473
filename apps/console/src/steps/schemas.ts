import { LEAST_LEASE_MS } from '#lab/explore';
import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { strategyName } from '../strategy-name';

const LONGEST_TOKEN = 4000;
const token = z.string().min(1).max(LONGEST_TOKEN).describe('the schedule so far');

/** Process of each actor: `12` two processes, `11` one process, `123` three actors. */
export const actors = z
  .string()
  .regex(
    /^1[12][123]?$/,
    'two or three digits: the number of the process of each buyer, such as 12, 11 or 123',
  )
  .default('12')
  .describe('the number of the process of each buyer: 12, 11, 123');

/** In virtual time, which costs nothing: leases are longer than a schedule takes. */
export const options = z
  .strictObject({
    leaseMs: z.int().min(LEAST_LEASE_MS).max(60_000).optional(),
    waitMs: z.int().min(0).max(30_000).optional(),
    wait: z.enum(['poll', 'notify']).optional(),
    workMs: z.int().min(0).max(10_000).optional(),
    attempts: z.int().min(1).max(100).optional(),
    isolation: z.enum(['repeatable-read', 'read-committed']).optional(),
  })
  .default({});

export class BeginBody extends createZodDto(
  z.strictObject({ strategy: strategyName, actors, stock: z.int().min(0).max(99).default(1), options }),
) {}

export class ChooseBody extends createZodDto(
  z.strictObject({
    token,
    choice: z
      .string()
      .regex(/^\w{1,2}$/)
      .optional()
      .describe('the next choice, as `controls` names it; absent: only replays the token'),
    finish: z.literal(true).optional().describe('then also makes the remaining choices, without a fault'),
  }),
) {}

const position = z.object({ file: z.string(), line: z.int() });

const disabledReason = z
  .object({
    code: z.enum([
      'over',
      'ended',
      'died',
      'not-begun',
      'blocked',
      'mutex',
      'waiting',
      'idle',
      'no-lease',
      'no-timer',
      'no-session',
      'no-work',
      'nothing-stored',
      'already',
    ]),
    outcome: z.string().optional(),
    statement: z.string().optional(),
    key: z.string().optional(),
    by: z.array(z.string()).readonly().optional().describe('the actors that it waits for'),
  })
  .describe('why the choice is not enabled');

const control = z.object({
  choice: z.string().describe('its text in a token: a, K1, L'),
  kind: z.string().describe('step, timer-step, arrival, or the name of a fault'),
  actor: z.string().optional(),
  process: z.int().optional(),
  server: z.int().optional(),
  disabled: disabledReason.optional(),
});

const lockChange = z.object({
  key: z.string(),
  change: z.enum(['taken', 'replaced', 'released', 'renewed', 'expired', 'flushed']),
  by: z.string().optional(),
  owner: z.string().optional(),
});

export const scheduleEvent = z.object({
  n: z.int(),
  at: z.number().optional().describe('virtual time, milliseconds'),
  type: z.enum(['step', 'fault', 'time', 'warn', 'end']),
  actor: z.string().optional(),
  kind: z.string().optional().describe('of a step: redis, sql, zk, etcd, local, timer, fs'),
  text: z.string(),
  inChinese: z.string().optional().describe('the text in Chinese; absent: a statement, or a code says it'),
  reply: z.string().optional().describe('of an answered step'),
  error: z.string().optional(),
  fault: z.string().optional(),
  isTimer: z.boolean().optional().describe('issued by a timer of the actor'),
  answeredAt: z.int().optional().describe('the step waited in the server until this event'),
  code: z.string().optional().describe('of an end'),
  locks: z.array(lockChange).readonly().optional(),
});

export const violation = z.object({
  kind: z.string(),
  harm: z.enum(['data-wrong', 'unavailable', 'lock-broken']),
  sentence: z.string(),
  inChinese: z.string().optional().describe('the sentence in Chinese; absent: there is none'),
  at: z.array(z.int()).readonly().describe('the events that show it'),
});

const actorView = z.object({
  name: z.string(),
  process: z.int(),
  alive: z.boolean(),
  cut: z.boolean(),
  outcome: z.string().optional(),
  next: z.object({ kind: z.string(), text: z.string(), isInFlight: z.boolean() }).optional(),
  at: z
    .array(position)
    .readonly()
    .describe('where its code is, or was at its last step, the innermost line first'),
});

export class StepView extends createZodDto(
  z.object({
    token: z.string(),
    undo: z.string().optional().describe('the schedule without its last choice'),
    start: z.string().describe('the schedule without any choice'),
    strategy: z.string(),
    stock: z.int(),
    options: z
      .record(z.string(), z.union([z.number(), z.string()]))
      .describe('those that differ from the standard of schedules'),
    choices: z.int().describe('the choices so far'),
    made: z.array(z.string()).readonly().describe('their texts in order, as `controls` names them'),
    actors: z.array(actorView).readonly(),
    controls: z.array(control).readonly(),
    events: z.array(scheduleEvent).readonly(),
    now: z.number().describe('virtual time, milliseconds'),
    balances: z.record(z.string(), z.number()).describe('committed amounts'),
    movements: z
      .array(
        z.object({
          balance: z.string(),
          request: z.string(),
          delta: z.int(),
          before: z.int(),
          after: z.int(),
        }),
      )
      .readonly(),
    locks: z
      .array(z.object({ key: z.string(), owner: z.string().optional(), remainingMs: z.number().optional() }))
      .readonly(),
    violations: z.array(violation).readonly(),
    protections: z
      .array(z.object({ text: z.string(), inChinese: z.string() }))
      .readonly()
      .describe('what prevented a violation'),
    isOver: z.boolean(),
  }),
) {}
