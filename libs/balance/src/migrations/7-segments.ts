import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Segments1700000000007 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE balance_segment (
        balance VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        segment INT NOT NULL COMMENT 'from 0',
        amount  BIGINT NOT NULL,
        initial BIGINT NOT NULL COMMENT 'the amount when the balance was split',
        PRIMARY KEY (balance, segment)
      ) ENGINE = InnoDB`);
    await runner.query(`
      ALTER TABLE balance
        ADD segments INT NOT NULL DEFAULT 0 COMMENT 'over how many rows of balance_segment the amount was split; 0: it is here'`);
    await runner.query(`
      ALTER TABLE movement
        ADD segment INT NULL COMMENT 'whose values before and after are; NULL: those of the balance'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE movement DROP segment');
    await runner.query('ALTER TABLE balance DROP segments');
    await runner.query('DROP TABLE balance_segment');
  }
}
