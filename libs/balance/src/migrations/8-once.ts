import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Once1700000000008 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE movement
        ADD once VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'the change that must not be made twice; NULL: may be',
        ADD part INT NOT NULL DEFAULT 0 COMMENT 'of the change, from 0: one for each segment that it took from',
        ADD UNIQUE KEY once_only (once, part)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE movement DROP INDEX once_only, DROP once, DROP part');
  }
}
