import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An order of several products is several rows with one id. */
export class OrderLines1700000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE orders DROP INDEX id, ADD UNIQUE KEY line_of_order (id, sku)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE orders DROP INDEX line_of_order, ADD UNIQUE KEY id (id)');
  }
}
