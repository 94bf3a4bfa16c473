import type { MigrationInterface, QueryRunner } from 'typeorm';

export class BalanceAndMovement1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE balance (
        id      VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
        amount  BIGINT NOT NULL,
        initial BIGINT NOT NULL COMMENT 'the amount at the last reset'
      ) ENGINE = InnoDB`);
    await runner.query(`
      CREATE TABLE movement (
        id           BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
        balance      VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        delta        BIGINT NOT NULL,
        value_before BIGINT NOT NULL,
        value_after  BIGINT NOT NULL,
        request      VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        replica      VARCHAR(64) NOT NULL,
        strategy     VARCHAR(64) NOT NULL,
        at           TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
        KEY of_balance (balance, id),
        KEY of_request (request)
      ) ENGINE = InnoDB`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE movement');
    await runner.query('DROP TABLE balance');
  }
}
