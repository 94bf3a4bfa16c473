import type { MigrationInterface, QueryRunner } from 'typeorm';

export class BalanceLock1700000000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE balance_lock (
        name     VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY COMMENT 'a row is a lock',
        owner    VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        taken_at TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6)
      ) ENGINE = InnoDB`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE balance_lock');
  }
}
