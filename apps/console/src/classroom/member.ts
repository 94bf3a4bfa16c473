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

/** May do nothing: the access hook lets no request without a member through to a route that asks. */
const NOBODY: Member = { id: 'nobody', name: '', isTeacher: false };

const members = new WeakMap<object, Member>();

/** Set by the access hook, before any route. */
export const identify = (request: object, member: Member): void => void members.set(request, member);

/** Undefined: the browser has not joined. */
export const memberOf = (request: object): Member | undefined => members.get(request);

/** The member that sends this request. */
export const CurrentMember = createParamDecorator(
  (_: unknown, context: ExecutionContext): Member =>
    memberOf(context.switchToHttp().getRequest<FastifyRequest>().raw) ?? NOBODY,
);
