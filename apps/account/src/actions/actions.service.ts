import { Toolbox } from '#lab/host';
import { RequestRecorder } from '#lab/http';
import {
  effectsOfOthers,
  resetOf,
  useNamed,
  type Done,
  type Effect,
  type OldPages,
  type UseName,
} from '#lab/guard';
import { ComponentMissing, SteppedDataSource, unobserved, type Fault } from '#lab/step';
import { DEFAULT_OPTIONS } from '#lab/strategy';
import { Injectable } from '@nestjs/common';
import { guardOf, nameInRequest, type ChosenGuard } from './chosen-guard';

/** What a request for an action received. */
export interface ActionAnswer extends Done {
  readonly use: UseName;
  readonly guard: string;
  readonly key: string;
}

/** The name under which the history has the requests of a use. */
const historyOf = (use: UseName): string => `action.${use}`;

/** Runs actions under the guard that a request names. */
@Injectable()
export class ActionsService {
  constructor(
    private readonly toolbox: Toolbox,
    private readonly sql: SteppedDataSource,
    private readonly requests: RequestRecorder,
  ) {}

  async act(
    use: UseName,
    key: string,
    request: string,
    chosen: ChosenGuard,
    faults: readonly Fault[],
  ): Promise<ActionAnswer> {
    const guard = guardOf(use, chosen);
    const { options } = chosen;
    const replica = this.toolbox.process.name;
    const begin = { request, balance: historyOf(use), delta: 0, strategy: guard.name, options };
    const tools = { ...this.toolbox.tools(request, options), sql: this.sql, random: Math.random };
    const missing = guard.needs?.find((component) => !tools.servers.components.includes(component));
    if (missing !== undefined) throw new ComponentMissing(missing); // before the guard has done anything
    const sales = effectsOfOthers(useNamed(use), { key, request });
    const act = (): Promise<Done> => guard.apply({ key, request, replica }, tools);
    const done = await this.requests.record(begin, faults, act, undefined, sales);
    return { use, guard: nameInRequest(guard), key, ...done };
  }

  /** Removes all effects of a use, and prepares it for actions with these keys. */
  async reset(use: UseName, keys: readonly string[], oldPages: OldPages): Promise<void> {
    const { redis, servers } = this.toolbox.tools('reset', DEFAULT_OPTIONS);
    await unobserved(async () => {
      await this.sql.transaction(async (tx) => {
        for (const statement of resetOf(useNamed(use))) await tx.query(statement);
      });
      if (servers.components.includes('gateway')) await servers.gateway.clear();
      await useNamed(use).prepare?.(keys, { redis, time: -1, ...oldPages });
    });
    this.requests.reset(historyOf(use), 0);
  }

  /** All committed effects of a use in their order. */
  effects(use: UseName): Promise<readonly Effect[]> {
    const { redis, servers } = this.toolbox.tools('effects', DEFAULT_OPTIONS);
    return unobserved(() =>
      useNamed(use).effects({
        redis,
        query: (sql) => this.sql.query<object[]>(sql),
        deliveries: () =>
          servers.components.includes('gateway') ? servers.gateway.deliveries() : Promise.resolve([]),
      }),
    );
  }
}
