import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Decision1700000000006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE decision (
        ticket  VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY COMMENT 'decided on once',
        balance VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        request VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'its movement, if it was applied',
        outcome VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'APPLIED, WITHDRAWN, or why it was refused',
        KEY of_balance (balance)
      ) ENGINE = InnoDB`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE decision');
  }
}
