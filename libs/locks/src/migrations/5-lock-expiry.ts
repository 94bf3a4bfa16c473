import type { MigrationInterface, QueryRunner } from 'typeorm';

export class LockExpiry1700000000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE balance_lock
        ADD expires_at TIMESTAMP(6) NULL DEFAULT NULL COMMENT 'from then on anybody may delete it; NULL: never'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE balance_lock DROP expires_at');
  }
}
