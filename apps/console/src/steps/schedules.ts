import {
  ChoiceNotEnabled,
  Disturbed,
  InteractiveSchedule,
  World,
  type Choice,
  type ScheduleToken,
  type Setup,
} from '#lab/explore';
import type { Component } from '#lab/step';
import { componentsOf } from '#lab/strategy';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import type { Member } from '../classroom';
import { ScheduleServers } from './schedule-servers';
import { Turns } from './turns';

/** Redis has 64 databases (infra/redis): the lab's own, those of the exploration, and these. */
const FIRST_DB = 4;
/** All that are left: a class of sixty steps without replays. Each world takes some 10 MB and 10 connections. */
const MAX_WORLDS = 60;
/** More worlds opened at once would all be late; meanwhile a request may find another one idle. */
const MAX_OPENING = 4;
/** Worlds that are opened at once before they are needed: requests need the processors, too. */
const PREPARED_AT_ONCE = 2;
/** Schedules of one student that are played at once, so that no student takes the worlds of the others; a tab needs one. */
const MAX_OF_STUDENT = 2;

/** A world with the schedule that was played last in it. */
interface Place {
  readonly world: World;
  /** The servers on demand that it is connected to. */
  readonly needs: string;
  schedule: InteractiveSchedule | undefined;
  isBusy: boolean;
  usedAt: number;
}

/**
 * Plays schedules for any number of readers on a few worlds. A schedule is its token: a world that is at its last choice
 * but one continues there, any other world plays it from the beginning. So no state of a reader is kept here, no session
 * expires, and two tabs do not affect each other.
 */
@Injectable()
export class Schedules implements BeforeApplicationShutdown {
  private readonly places: Place[] = [];
  private readonly waiting: (() => void)[] = [];
  /** Redis databases without a world. */
  private readonly free = Array.from({ length: MAX_WORLDS }, (_, i) => FIRST_DB + i);
  private readonly turns = new Turns(MAX_OF_STUDENT);
  private uses = 0;
  /** Worlds that are being opened. */
  private opening = 0;
  /** All worlds are being opened: a request waits for one of them, or takes one that is idle. */
  private isPreparing = false;
  private isClosing = false;

  constructor(private readonly servers: ScheduleServers) {}

  /**
   * Plays the schedule and one more choice for a member, and hands it to `read`; no other request uses it meanwhile. Throws as
   * `InteractiveSchedule.begin`, and `ChoiceNotEnabled` for the last choice.
   */
  play<T>(wanted: Wanted, by: Member, read: (schedule: InteractiveSchedule) => Promise<T>): Promise<T> {
    const work = (): Promise<T> => this.playNow(wanted, read);
    return by.isTeacher ? work() : this.turns.run(by.id, work);
  }

  /**
   * Opens all worlds before they are needed, a few at a time. Resolves early when one cannot be opened: a schedule then says why.
   * Never rejects.
   */
  async prepare(): Promise<void> {
    this.isPreparing = true;
    await Promise.all(
      Array.from({ length: PREPARED_AT_ONCE }, () => this.prepareOneByOne().catch(() => undefined)),
    );
    this.isPreparing = false;
    for (const next of this.waiting.splice(0)) next();
  }

  /** Does not wait for a world that is being opened: it is closed as soon as it is open. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isClosing = true;
    await Promise.all(this.places.map(({ world }) => world.close().catch(() => undefined)));
  }

  private async playNow<T>(wanted: Wanted, read: (schedule: InteractiveSchedule) => Promise<T>): Promise<T> {
    const place = await this.take(wanted);
    try {
      return await read(await bring(place, wanted));
    } catch (error) {
      if (!(error instanceof ChoiceNotEnabled)) await forget(place); // a refused choice changes nothing
      throw error;
    } finally {
      place.usedAt = ++this.uses;
      this.release(place);
    }
  }

  private async prepareOneByOne(): Promise<void> {
    for (;;) {
      const redisDb = this.isClosing ? undefined : this.free.shift();
      if (redisDb === undefined) return;
      this.release(await this.open([], redisDb));
    }
  }

  private release(place: Place): void {
    place.isBusy = false;
    this.waiting.shift()?.();
  }

  /**
   * The world whose schedule is the longest beginning of this one; else the one that has made one more choice, which is taken
   * back; else one that has no schedule; else a new one, unless all are being opened; else the one that was not used for longest.
   */
  private async take(wanted: Wanted): Promise<Place> {
    const { setup } = wanted;
    const components = componentsOf([setup.strategy]);
    const needs = needsOf(components);
    for (;;) {
      const idle = this.places.filter((place) => !place.isBusy && place.needs === needs);
      const best = idle
        .filter((place) => isBeginning(place.schedule, wanted))
        .sort((a, b) => (b.schedule?.choices.length ?? 0) - (a.schedule?.choices.length ?? 0))[0];
      const undone = idle.find((place) => isUndone(place.schedule, wanted));
      const known = best ?? undone ?? idle.find((place) => place.schedule === undefined);
      if (known !== undefined) return this.reserve(known);
      const oldest = (places: Place[]): Place | undefined => places.sort((a, b) => a.usedAt - b.usedAt)[0];
      const next = oldest(idle);
      if (this.isPreparing && needs === needsOf([])) {
        if (next !== undefined) return this.reserve(next);
        await this.change();
        continue;
      }
      if (this.free.length > 0 && this.opening >= MAX_OPENING) {
        await this.change();
        continue;
      }
      const redisDb = this.free.shift();
      if (redisDb !== undefined) return this.open(components, redisDb);
      if (next !== undefined) return this.reserve(next);
      const other = oldest(this.places.filter((place) => !place.isBusy));
      if (other !== undefined) await this.discard(other);
      else await this.change();
    }
  }

  /** Resolves when a world was released or opened. */
  private change(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private reserve(place: Place): Place {
    place.isBusy = true;
    return place;
  }

  /** A new world, busy. */
  private async open(components: readonly Component[], redisDb: number): Promise<Place> {
    this.opening++;
    try {
      const { redis, mysql, servers } = await this.servers.urls(components);
      const schema = `lab_step_${process.pid}_${redisDb}`;
      const world = await World.open({ redis, mysql, servers, redisDb, schema, keepsStacks: true });
      if (this.isClosing) {
        await world.close();
        throw new Error('the console is being stopped');
      }
      const place = { world, needs: needsOf(components), schedule: undefined, isBusy: true, usedAt: 0 };
      this.places.push(place);
      return place;
    } catch (error) {
      this.free.push(redisDb);
      throw error;
    } finally {
      this.opening--;
      this.waiting.shift()?.();
    }
  }

  private async discard(place: Place): Promise<void> {
    this.places.splice(this.places.indexOf(place), 1);
    await place.schedule?.close();
    await place.world.close();
    this.free.push(place.world.options.redisDb);
  }
}

const needsOf = (components: readonly Component[]): string => components.join(' ');

/** Attempts before a disturbance is reported: a server that does not answer is then not just slow. */
const MAX_ATTEMPTS = 3;

/** Continues the schedule of the place, or plays it from the beginning. */
async function bring(place: Place, wanted: Wanted): Promise<InteractiveSchedule> {
  for (let attempt = 1; ; attempt++) {
    try {
      if (!isBeginning(place.schedule, wanted)) await forget(place);
      const schedule = (place.schedule ??= await InteractiveSchedule.begin(
        place.world,
        wanted.setup,
        wanted,
      ));
      await schedule.replay(wanted);
      if (wanted.next !== undefined) await schedule.choose(wanted.next);
      return schedule;
    } catch (error) {
      if (!(error instanceof Disturbed) || attempt === MAX_ATTEMPTS) throw error;
      await forget(place);
    }
  }
}

async function forget(place: Place): Promise<void> {
  const { schedule } = place;
  place.schedule = undefined;
  await schedule?.close().catch(() => undefined);
}

/** A schedule, and the choice to make after it. */
interface Wanted extends Pick<ScheduleToken, 'setup' | 'choices' | 'checks'> {
  readonly next?: Choice | undefined;
}

/** The schedule has the same setup, and made the first of these choices. */
const isBeginning = (schedule: InteractiveSchedule | undefined, wanted: Wanted): boolean =>
  schedule?.isBeginningOf(wanted) === true && isSameSetup(schedule.setup, wanted.setup);

/** The schedule has the same setup, and made these choices and one more. */
const isUndone = (schedule: InteractiveSchedule | undefined, { setup, choices, checks }: Wanted): boolean =>
  schedule !== undefined &&
  choices.length > 0 &&
  schedule.choices.length === choices.length + 1 &&
  schedule.isBeginningOf({ choices: [...choices, ...schedule.choices.slice(-1)], checks }) &&
  isSameSetup(schedule.setup, setup);

/** Strategies are compared by name: they are those of the catalogue. */
const isSameSetup = ({ strategy, ...setup }: Setup, { strategy: other, ...rest }: Setup): boolean =>
  strategy.name === other.name && isDeepStrictEqual(setup, rest);
