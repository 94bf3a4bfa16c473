import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Orders1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE orders (
        number            BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
        id                CHAR(36) CHARACTER SET ascii NOT NULL UNIQUE,
        sku               VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        quantity          INT NOT NULL,
        buyer             VARCHAR(64) CHARACTER SET utf8mb4 NOT NULL,
        strategy          VARCHAR(64) NOT NULL,
        stock_after       BIGINT NOT NULL COMMENT 'remaining stock, as the answer states it',
        request           VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        replica           VARCHAR(64) NOT NULL,
        inventory_replica VARCHAR(64) NOT NULL,
        at                TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
        KEY of_sku (sku, number),
        KEY of_request (request)
      ) ENGINE = InnoDB`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE orders');
  }
}
