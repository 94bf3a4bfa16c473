import { ConflictException, Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { DataSource, QueryFailedError } from 'typeorm';
import { Coupon, Redemption, UniqueRedemption } from './coupon.entities.js';

/** Redeems a coupon for a customer, or throws that it was redeemed. */
export interface Redeems {
  redeem(code: string, customer: string): Promise<void>;
}

const redeemed = (code: string): ConflictException => new ConflictException(`${code} was redeemed`);

/** Check, then insert: two requests may both find no redemption. */
@Injectable()
export class RacyRedeem implements Redeems {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  async redeem(code: string, customer: string): Promise<void> {
    const redemptions = this.db.getRepository(Redemption);
    if (await redemptions.existsBy({ code })) throw redeemed(code);
    await redemptions.insert({ code, customer });
  }
}

/** Fix 1: the database refuses the second row. */
@Injectable()
export class UniqueKeyRedeem implements Redeems {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  async redeem(code: string, customer: string): Promise<void> {
    try {
      await this.db.getRepository(UniqueRedemption).insert({ code, customer });
    } catch (error) {
      if (error instanceof QueryFailedError && error.driverError.code === 'ER_DUP_ENTRY')
        throw redeemed(code);
      throw error;
    }
  }
}

/** Fix 2: the row of the coupon is locked until the redemption is committed. */
@Injectable()
export class RowLockRedeem implements Redeems {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  redeem(code: string, customer: string): Promise<void> {
    return this.db.transaction(async (manager) => {
      const coupon = await manager.findOneOrFail(Coupon, {
        where: { code },
        lock: { mode: 'pessimistic_write' },
      });
      if (coupon.redeemedBy !== null) throw redeemed(code);
      await manager.update(Coupon, { code }, { redeemedBy: customer });
      await manager.insert(Redemption, { code, customer });
    });
  }
}

const LEASE_MS = 10_000;
const TRY_AGAIN_MS = 50;
const TRIES = 400;
const RELEASE =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/**
 * Fix 3: a lock in Redis, whose fencing token the row checks. The lock keeps requests apart while its lease lasts; the token
 * refuses a holder that was late.
 */
@Injectable()
export class FencedRedeem implements Redeems {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Redis) private readonly redis: Redis,
  ) {}

  async redeem(code: string, customer: string): Promise<void> {
    const owner = randomUUID();
    await this.acquire(code, owner);
    try {
      const fence = await this.redis.incr(`fence:${code}`);
      await this.db.transaction(async (manager) => {
        const { affected } = await manager
          .createQueryBuilder()
          .update(Coupon)
          .set({ redeemedBy: customer, fence })
          .where('code = :code AND redeemedBy IS NULL AND fence < :fence', { code, fence })
          .execute();
        if (affected !== 1) throw redeemed(code);
        await manager.insert(Redemption, { code, customer });
      });
    } finally {
      await this.redis.eval(RELEASE, 1, `lock:${code}`, owner);
    }
  }

  private async acquire(code: string, owner: string): Promise<void> {
    for (let i = 0; i < TRIES; i++) {
      if ((await this.redis.set(`lock:${code}`, owner, 'PX', LEASE_MS, 'NX')) === 'OK') return;
      await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
    }
    throw new ConflictException(`${code} is being redeemed`);
  }
}
