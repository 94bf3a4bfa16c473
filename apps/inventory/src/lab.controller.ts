import { Balances, Ledger } from '#lab/balance';
import { ReconcileBody, ResetBody, SkuParams, Story } from '#lab/http';
import { LockFolder, SteppedRedis } from '#lab/step';
import { CATALOGUE, lockKey } from '#lab/strategy';
import { Body, Controller, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ProductsService, type Product } from './products.service';

/** A lock, in Redis, as a row of the database or as a directory, that is there now. `ttlMs` null: it never ends by itself. */
interface LockLeft {
  readonly key: string;
  readonly value: string | null;
  readonly ttlMs: number | null;
}

/** What a reconciliation has done. */
interface Reconciliation {
  readonly sku: string;
  /** Units by which each strategy's count has changed. */
  readonly changed: Readonly<Record<string, number>>;
}

/** Exists only when the lab is enabled, and is routed only by the lab address. */
@ApiTags('lab')
@Controller('lab/inventory')
export class LabController {
  constructor(
    @Inject(ProductsService) private readonly products: ProductsService,
    @Inject(Ledger) private readonly ledger: Ledger,
    @Inject(Balances) private readonly balances: Balances,
    @Inject(SteppedRedis) private readonly redis: SteppedRedis,
    @Inject(LockFolder) private readonly folder: LockFolder,
    @Inject(Story) private readonly story: Story,
  ) {}

  @Post('reset')
  @HttpCode(200)
  @ApiOperation({ summary: 'Set a stock anew: forgets its movements and deletes its locks' })
  async reset(@Body() { sku, stock }: ResetBody): Promise<Product> {
    await this.redis.del(CATALOGUE.flatMap(({ name, keys }) => [lockKey(sku, name), ...(keys?.(sku) ?? [])]));
    for (const name of await this.directories(sku)) await this.folder.remove(name);
    await this.products.reset(sku, stock);
    this.story.reset(sku, stock);
    return this.products.find(sku);
  }

  @Post('reconcile')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Bring the counts that strategies keep outside of the database together with it, after a crash',
  })
  async reconcile(@Body() { sku }: ReconcileBody): Promise<Reconciliation> {
    await this.products.find(sku);
    const changed: Record<string, number> = {};
    for (const { name, reconcile } of CATALOGUE) {
      if (reconcile === undefined) continue;
      changed[name] = await reconcile(sku, { balances: this.balances, redis: this.redis });
      this.story.reconciled(sku, name, changed[name]);
    }
    return { sku, changed };
  }

  @Get('locks/:sku')
  @ApiOperation({ summary: 'The locks of a product that exist now' })
  async locks(@Param() { sku }: SkuParams): Promise<LockLeft[]> {
    const keys = CATALOGUE.map(({ name }) => lockKey(sku, name));
    const found = await Promise.all(
      keys.map(async (key) => ({ key, ttlMs: await this.redis.pttl(key), value: await this.contentOf(key) })),
    );
    const rows = await this.ledger.locks(sku);
    return [
      ...found
        .filter(({ ttlMs }) => ttlMs !== -2)
        .map(({ key, value, ttlMs }) => ({ key, value, ttlMs: ttlMs < 0 ? null : ttlMs })),
      ...rows.map(({ name, owner, ttlMs }) => ({ key: name, value: owner, ttlMs })),
      ...(await this.directories(sku)).map((key) => ({ key, value: null, ttlMs: null })),
    ];
  }

  private async directories(sku: string): Promise<string[]> {
    return (await this.folder.list()).filter((name) => name.startsWith(lockKey(sku, '')));
  }

  /** A lock is a string, or the hash of a re-entrant one. */
  private async contentOf(key: string): Promise<string | null> {
    return (await this.redis.type(key)) === 'hash'
      ? JSON.stringify(await this.redis.hgetall(key))
      : this.redis.get(key);
  }
}
