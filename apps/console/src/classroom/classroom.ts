import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { Subject, type Observable } from 'rxjs';
import { ALONE, type Member } from './member';

/** No letters and digits that look alike on a projector. */
const LETTERS = 'ACDEFHJKMNPRTUVWXY34679';
const CODE_LENGTH = 6;
/** More browsers are refused. */
const MAX_MEMBERS = 100;
/** A longer name is refused. */
export const LONGEST_NAME = 30;
/** A whole class may share one address and mistype; to guess a code of six letters at this rate takes more than a year. */
const MAX_WRONG_CODES = 200;
const WRONG_CODE_MS = 60_000;
/** Made once: a board of sixty names compares hundreds of times, and each browser of the class requests it every 3 s. */
const BY_NAME = new Intl.Collator(undefined, { numeric: true });
/**
 * Characters that no name has: controls, marks of direction, and those of HTML. The joiners stay: emoji of several persons and
 * Persian words need them.
 */
const UNWANTED = /(?![\u200C\u200D])[\p{C}<>]/gu;

/** A member with the goals that it has reached, in order. */
export interface BoardRow {
  readonly id: string;
  readonly name: string;
  readonly goals: readonly string[];
}

/** A new member, and the cookie that proves its id. */
interface Joined {
  readonly member: Member;
  readonly cookie: string;
}

/** Why a browser may not join. `too-many-tries`: its address has sent too many wrong codes in the last minute. */
export type JoinRefusal = 'wrong-code' | 'no-name' | 'name-taken' | 'class-full' | 'too-many-tries';

/**
 * The members of a class and what they have reached. In memory: when the console is restarted, everybody joins again. A member
 * proves its id by a signed cookie.
 */
export class Classroom {
  /** Students join with this code. */
  readonly code = randomCode();
  /** The teacher joins with this one, which only the terminal shows. */
  readonly teacherCode = randomBytes(9).toString('base64url');
  private readonly secret = randomBytes(32);
  /** Times of wrong codes by address. */
  private readonly wrongCodes = new Map<string, readonly number[]>();
  private readonly members = new Map<string, Member>();
  private readonly reached = new Map<string, Set<string>>();
  private readonly removals = new Subject<Member>();

  constructor(readonly isOpen: boolean) {}

  /**
   * A refusal by the name or a full class needs the right code, so it tells nothing to a browser that guesses codes. The code of
   * the teacher takes a name over, and is admitted to a full class: a browser that has lost its cookie joins again.
   */
  join(code: string, name: string, address: string): Joined | JoinRefusal {
    const recent = (this.wrongCodes.get(address) ?? []).filter(
      (at) => performance.now() - at < WRONG_CODE_MS,
    );
    if (recent.length >= MAX_WRONG_CODES) return 'too-many-tries';
    const isTeacher = isSame(code, this.teacherCode);
    if (!isTeacher && !isSame(code.toUpperCase(), this.code)) {
      this.wrongCodes.set(address, [...recent, performance.now()]);
      return 'wrong-code';
    }
    const plain = plainName(name);
    const seen = seenOf(plain);
    if (seen === '') return 'no-name';
    const other = [...this.members.values()].find((one) => seenOf(one.name) === seen);
    if (isTeacher && other?.isTeacher === true) return this.admit(other);
    if (!isTeacher && other !== undefined) return 'name-taken';
    if (!isTeacher && this.members.size >= MAX_MEMBERS) return 'class-full';
    if (other !== undefined) this.remove(other.id);
    return this.admit({ id: randomBytes(6).toString('hex'), name: plain, isTeacher });
  }

  /** Each student that is removed from now on. */
  get removed(): Observable<Member> {
    return this.removals;
  }

  /**
   * Removes a student with its goals and its jobs, and ends its event streams: its browser has to join again. False: there is
   * no such student.
   */
  remove(id: string): boolean {
    const member = this.members.get(id);
    if (member?.isTeacher !== false) return false;
    this.reached.delete(id);
    this.members.delete(id);
    this.removals.next(member);
    return true;
  }

  /** False: the member was removed. */
  has({ id }: Member): boolean {
    return !this.isOpen || this.members.has(id);
  }

  /** The member of a cookie; undefined: none. */
  of(cookie: string | undefined): Member | undefined {
    if (!this.isOpen) return ALONE;
    const [id = '', signature = ''] = cookie?.split('.') ?? [];
    return isSame(signature, this.sign(id)) ? this.members.get(id) : undefined;
  }

  reach({ id }: Member, goal: string): void {
    this.reached.set(id, (this.reached.get(id) ?? new Set()).add(goal));
  }

  /** The members with the most goals first. */
  board(): BoardRow[] {
    return [...this.members.values()]
      .filter(({ isTeacher }) => !isTeacher)
      .map(({ id, name }) => ({ id, name, goals: [...(this.reached.get(id) ?? [])] }))
      .sort((a, b) => b.goals.length - a.goals.length || BY_NAME.compare(a.name, b.name));
  }

  private admit(member: Member): Joined {
    this.members.set(member.id, member);
    return { member, cookie: `${member.id}.${this.sign(member.id)}` };
  }

  private sign(id: string): string {
    return createHmac('sha256', this.secret).update(id).digest('base64url');
  }
}

const plainName = (name: string): string => name.normalize('NFC').replace(UNWANTED, '').trim();

/** What is visible of a name: two members have not the same. */
const seenOf = (name: string): string => name.replace(/\p{Default_Ignorable_Code_Point}/gu, '').trim();

const randomCode = (): string =>
  Array.from({ length: CODE_LENGTH }, () => LETTERS.charAt(randomInt(LETTERS.length))).join('');

function isSame(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}
