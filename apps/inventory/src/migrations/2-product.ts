import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Product1700000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE product (
        sku         VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
        name        VARCHAR(120) NOT NULL,
        price_minor BIGINT NOT NULL COMMENT 'price in the smallest unit of the currency',
        FOREIGN KEY (sku) REFERENCES balance (id)
      ) ENGINE = InnoDB`);
    await runner.query(
      `INSERT INTO balance (id, amount, initial) VALUES ('phone', 100, 100), ('mug', 1000, 1000), ('ticket', 1, 1)`,
    );
    await runner.query(
      `INSERT INTO product (sku, name, price_minor) VALUES ('phone', 'Phone of the year', 79900), ('mug', 'Coffee mug', 1200), ('ticket', 'The last ticket', 9900)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE product');
  }
}
