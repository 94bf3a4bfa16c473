import 'reflect-metadata';
import { Controller, HttpCode, Inject, Module, Param, Post, Query } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { DataSource } from 'typeorm';
import { Coupon, Redemption } from './coupon.entities.js';
import { RowLockRedeem } from './redeem.services.js';

@Controller('coupons')
class CouponController {
  constructor(@Inject(RowLockRedeem) private readonly service: RowLockRedeem) {}

  @Post(':code/redemption')
  @HttpCode(201)
  redeem(@Param('code') code: string, @Query('customer') customer: string): Promise<void> {
    return this.service.redeem(code, customer);
  }
}

@Module({
  controllers: [CouponController],
  providers: [
    RowLockRedeem,
    {
      provide: DataSource,
      useFactory: () =>
        new DataSource({
          type: 'mysql',
          url: process.env['MYSQL_URL'] ?? 'mysql://root@127.0.0.1:3306/coupons',
          entities: [Coupon, Redemption],
        }).initialize(),
    },
  ],
})
class AppModule {}

async function main(): Promise<void> {
  const app = await NestFactory.create(AppModule, new FastifyAdapter());
  await app.listen(3000, '127.0.0.1');
}

void main();
