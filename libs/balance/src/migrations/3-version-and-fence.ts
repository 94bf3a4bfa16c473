import type { MigrationInterface, QueryRunner } from 'typeorm';

export class VersionAndFence1700000000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE balance
        ADD version BIGINT NOT NULL DEFAULT 0 COMMENT 'counts the writes of optimistic writers',
        ADD fence   BIGINT NOT NULL DEFAULT 0 COMMENT 'the highest fencing token that was seen',
        ADD holder  VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'whose token that is'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE balance DROP version, DROP fence, DROP holder');
  }
}
