import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Placement1700000000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE placement (
        id              CHAR(36) CHARACTER SET ascii NOT NULL PRIMARY KEY COMMENT 'of the order that it is to become',
        attempt         CHAR(36) CHARACTER SET ascii NOT NULL COMMENT 'the deduction that the inventory was asked for last',
        state           VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'placing, failed (may be tried again) or done',
        idempotency_key VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NULL UNIQUE,
        fingerprint     CHAR(64) CHARACTER SET ascii NULL COMMENT 'of what was asked for under the key',
        request         VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        replica         VARCHAR(64) NOT NULL COMMENT 'who places it',
        buyer           VARCHAR(64) CHARACTER SET utf8mb4 NOT NULL,
        strategy        VARCHAR(64) NOT NULL,
        chosen          TEXT CHARACTER SET utf8mb4 NOT NULL COMMENT 'JSON: options and what was ignored',
        cart            TEXT CHARACTER SET utf8mb4 NOT NULL COMMENT 'JSON: the lines',
        is_cart         BOOLEAN NOT NULL,
        status          SMALLINT NULL COMMENT 'of the answer, when it is done',
        answer          MEDIUMTEXT CHARACTER SET utf8mb4 NULL COMMENT 'JSON, as it was given',
        begun_at        TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
        seen_at         TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) COMMENT 'its replica was at work on it',
        KEY left_behind (state, seen_at)
      ) ENGINE = InnoDB`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE placement');
  }
}
