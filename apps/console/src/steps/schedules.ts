import {
  ChoiceNotEnabled,
  Disturbed,
  InteractiveSchedule,
  World,
  writeToken,
  type Choice,
  type ScheduleToken,
  type Setup,
} from '#lab/explore';
import { componentsOf } from '#lab/strategy';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ScheduleServers } from './schedule-servers';

/** Redis has 16 databases: the lab's own, those of the exploration, and these. */
const FIRST_DB = 4;
/** Enough for the readers who play at the same moment; each takes some 40 connections. */
const MAX_WORLDS = 12;

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
 * but one continues there, any other world plays it from the beginning. So nothing of a reader is kept here, no session
 * ends, and two tabs cannot disturb each other.
 */
@Injectable()
export class Schedules implements OnApplicationShutdown {
  private readonly places: Place[] = [];
  private readonly waiting: (() => void)[] = [];
  /** Redis databases without a world. */
  private readonly free = Array.from({ length: MAX_WORLDS }, (_, i) => FIRST_DB + i);
  private uses = 0;

  constructor(private readonly servers: ScheduleServers) {}

  /** Plays the schedule and hands it to `read`; nobody else uses it meanwhile. Throws as `InteractiveSchedule.begin`. */
  async play<T>(
    { setup, choices, checks }: Pick<ScheduleToken, 'setup' | 'choices' | 'checks'>,
    read: (schedule: InteractiveSchedule) => Promise<T>,
  ): Promise<T> {
    const place = await this.take(setup, choices);
    try {
      place.schedule = await this.bring(place, { setup, choices, checks });
      return await read(place.schedule);
    } catch (error) {
      if (!(error instanceof ChoiceNotEnabled)) await forget(place); // a refused choice changes nothing
      throw error;
    } finally {
      place.isBusy = false;
      place.usedAt = ++this.uses;
      this.waiting.shift()?.();
    }
  }

  async onApplicationShutdown(): Promise<void> {
    for (const { world } of this.places) await world.close().catch(() => undefined);
  }

  /**
   * The world whose schedule is the longest beginning of this one; else the one that has made one more choice, which is taken
   * back; else a new one; else the one that was not used for longest.
   */
  private async take(setup: Setup, choices: readonly Choice[]): Promise<Place> {
    const needs = componentsOf([setup.strategy]).join(' ');
    for (;;) {
      const idle = this.places.filter((place) => !place.isBusy && place.needs === needs);
      const best = idle
        .filter((place) => isBeginning(place.schedule, setup, choices))
        .sort((a, b) => (b.schedule?.choices.length ?? 0) - (a.schedule?.choices.length ?? 0))[0];
      const undone = idle.find((place) => isUndone(place.schedule, setup, choices));
      const known = best ?? undone;
      if (known !== undefined) return this.reserve(known);
      const redisDb = this.free.shift();
      if (redisDb !== undefined) return this.open(setup, needs, redisDb);
      const oldest = (places: Place[]): Place | undefined => places.sort((a, b) => a.usedAt - b.usedAt)[0];
      const next = oldest(idle);
      if (next !== undefined) return this.reserve(next);
      const other = oldest(this.places.filter((place) => !place.isBusy));
      if (other !== undefined) await this.discard(other);
      else await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  private reserve(place: Place): Place {
    place.isBusy = true;
    return place;
  }

  private async open({ strategy }: Setup, needs: string, redisDb: number): Promise<Place> {
    try {
      const { redis, mysql, servers } = await this.servers.urls(componentsOf([strategy]));
      const schema = `lab_step_${process.pid}_${redisDb}`;
      const world = await World.open({ redis, mysql, servers, redisDb, schema, keepsStacks: true });
      const place = { world, needs, schedule: undefined, isBusy: true, usedAt: 0 };
      this.places.push(place);
      return place;
    } catch (error) {
      this.free.push(redisDb);
      throw error;
    }
  }

  private async discard(place: Place): Promise<void> {
    this.places.splice(this.places.indexOf(place), 1);
    await place.schedule?.close();
    await place.world.close();
    this.free.push(place.world.options.redisDb);
  }

  /** Continues the schedule of the place, or plays it from the beginning. */
  private async bring(
    { world, schedule }: Place,
    { setup, choices, checks }: Pick<ScheduleToken, 'setup' | 'choices' | 'checks'>,
  ): Promise<InteractiveSchedule> {
    if (schedule !== undefined && isBeginning(schedule, setup, choices)) {
      try {
        for (const choice of choices.slice(schedule.choices.length)) await schedule.choose(choice);
        return schedule;
      } catch (error) {
        if (!(error instanceof Disturbed)) throw error;
      }
    }
    await schedule?.close();
    return InteractiveSchedule.begin(world, setup, { choices, checks });
  }
}

async function forget(place: Place): Promise<void> {
  const { schedule } = place;
  place.schedule = undefined;
  await schedule?.close().catch(() => undefined);
}

/** The schedule has the same setup, and made these choices and one more. */
const isUndone = (
  schedule: InteractiveSchedule | undefined,
  setup: Setup,
  choices: readonly Choice[],
): boolean =>
  schedule !== undefined &&
  choices.length > 0 &&
  schedule.choices.length === choices.length + 1 &&
  textOf(schedule.setup, schedule.choices.slice(0, -1)) === textOf(setup, choices);

/** The schedule has the same setup, and made the first of these choices. */
function isBeginning(
  schedule: InteractiveSchedule | undefined,
  setup: Setup,
  choices: readonly Choice[],
): boolean {
  if (schedule === undefined || schedule.choices.length > choices.length) return false;
  return (
    textOf(schedule.setup, schedule.choices) === textOf(setup, choices.slice(0, schedule.choices.length))
  );
}

/** A text that is the same for the same schedule. */
const textOf = (setup: Setup, choices: readonly Choice[]): string =>
  writeToken({ setup, choices, checks: '', kinds: [], hash: '' });
