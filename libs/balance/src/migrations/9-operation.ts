import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The key is not unique, so that an insert does not wait for another one; the ids are random. */
export class Operation1700000000009 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE movement
        ADD operation VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'by which a strategy that keeps units elsewhere finds its movement',
        ADD KEY of_operation (operation)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE movement DROP INDEX of_operation, DROP operation');
  }
}
