import { problem, ProblemError, type Problem } from '#lab/http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** A browser of the class; without a class everybody is the teacher. */
export interface Member {
  readonly id: string;
  readonly name: string;
  readonly isTeacher: boolean;
}

/** The person at this machine, when there is no class. */
export const ALONE: Member = { id: 'local', name: '', isTeacher: true };

/** A member without any right: the access hook lets no request without a member through to a route that asks. */
const UNIDENTIFIED: Member = { id: 'unidentified', name: '', isTeacher: false };

const members = new WeakMap<object, Member>();

/** Set by the access hook, before any route. */
export const identify = (request: object, member: Member): void => void members.set(request, member);

/** Undefined: the browser has not joined. */
export const memberOf = (request: object): Member | undefined => members.get(request);

/** The member that sends this request. */
export const CurrentMember = createParamDecorator(
  (_: unknown, context: ExecutionContext): Member =>
    memberOf(context.switchToHttp().getRequest<FastifyRequest>().raw) ?? UNIDENTIFIED,
);

/** `reason`: what was asked, for a page in another language. */
export const teacherOnly = (reason: 'fault' | 'seconds' | 'cancel' | 'remove', why: string): ProblemError =>
  new ProblemError(problem('ACCESS.TEACHER_ONLY', why, { errors: { reason } }));

/** The browser has not joined, or its student was removed. */
export const notJoined = (): Problem =>
  problem('ACCESS.JOIN', 'join the class first, with the code that the teacher shows');

/** A job is canceled by the member that started it, or by the teacher. */
export function assertMayCancel(member: Member, by: Member): void {
  if (!member.isTeacher && member.id !== by.id)
    throw teacherOnly('cancel', `only ${by.name} and the teacher can cancel this`);
}
