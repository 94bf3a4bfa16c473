import type { MigrationInterface, QueryRunner } from 'typeorm';

const NAME = 'VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin';
const ID = 'id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY';

/** The tables of the uses of a cache other than one popular page, and the time of each build. */
export class CachedPages1700000002010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE page_build ADD built_at TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3)',
    );
    await runner.query(`
      CREATE TABLE coupon (
        code    ${NAME} NOT NULL PRIMARY KEY,
        percent INT NOT NULL
      ) ENGINE = InnoDB`);
    await runner.query(`
      CREATE TABLE coupon_query (
        ${ID},
        code    ${NAME} NOT NULL,
        request ${NAME} NOT NULL,
        KEY of_code (code)
      ) ENGINE = InnoDB`);
    await runner.query(`
      CREATE TABLE warm_up (
        ${ID},
        catalogue ${NAME} NOT NULL,
        request   ${NAME} NOT NULL,
        KEY of_catalogue (catalogue)
      ) ENGINE = InnoDB`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE warm_up, coupon_query, coupon');
    await runner.query('ALTER TABLE page_build DROP built_at');
  }
}
