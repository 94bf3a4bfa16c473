import type { MigrationInterface, QueryRunner } from 'typeorm';

const ID = 'VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin';

/** The app's own migrations are numbered after all those of the balances. */
export class Accounts1700000001001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account (
        id   ${ID} NOT NULL PRIMARY KEY COMMENT 'its balance is called account:id',
        name VARCHAR(120) NOT NULL
      ) ENGINE = InnoDB`);
    await runner.query(`
      CREATE TABLE entry_text (
        account ${ID} NOT NULL,
        request ${ID} NOT NULL COMMENT 'the movement that it is about, if that is there',
        text    VARCHAR(200) CHARACTER SET utf8mb4 NOT NULL,
        PRIMARY KEY (account, request)
      ) ENGINE = InnoDB`);
    await runner.query(`
      CREATE TABLE pending_entry (
        id            BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
        account       ${ID} NOT NULL,
        amount_minor  BIGINT NOT NULL,
        text          VARCHAR(200) CHARACTER SET utf8mb4 NULL,
        state         VARCHAR(16) CHARACTER SET ascii NOT NULL DEFAULT 'pending' COMMENT 'pending, settled or refused',
        code          VARCHAR(64) CHARACTER SET ascii NULL COMMENT 'why it was refused, or is pending still',
        claimed_by    VARCHAR(64) NULL COMMENT 'the replica that settles it, or died over it',
        claimed_until TIMESTAMP(6) NULL DEFAULT NULL COMMENT 'from then on another replica may',
        at            TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
        KEY of_state (state, id),
        KEY of_account (account, id)
      ) ENGINE = InnoDB`);
    await runner.query(`
      CREATE TABLE import_batch (
        account ${ID} NOT NULL,
        batch   ${ID} NOT NULL,
        digest  CHAR(64) CHARACTER SET ascii NOT NULL COMMENT 'SHA-256 of what was sent',
        at      TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
        PRIMARY KEY (account, batch)
      ) ENGINE = InnoDB COMMENT = 'batches whose lines are all there'`);
    await runner.query(`
      CREATE TABLE import_line (
        account      ${ID} NOT NULL,
        batch        ${ID} NOT NULL,
        line         INT NOT NULL COMMENT 'from 1',
        amount_minor BIGINT NULL,
        text         VARCHAR(200) CHARACTER SET utf8mb4 NULL,
        error        VARCHAR(300) CHARACTER SET utf8mb4 NULL COMMENT 'why it cannot be entered',
        PRIMARY KEY (account, batch, line)
      ) ENGINE = InnoDB`);
    await runner.query(`
      CREATE TABLE scan_setting (
        id       TINYINT NOT NULL PRIMARY KEY COMMENT '1: there is one, for all replicas',
        every_ms INT NOT NULL COMMENT '0: never',
        strategy VARCHAR(64) NOT NULL,
        options  VARCHAR(500) CHARACTER SET ascii NOT NULL COMMENT 'JSON'
      ) ENGINE = InnoDB`);
    await runner.query(
      `INSERT INTO balance (id, amount, initial) VALUES ('account:cafe', 0, 0), ('account:books', 0, 0)`,
    );
    await runner.query(
      `INSERT INTO account (id, name) VALUES ('cafe', 'Café at the corner'), ('books', 'Second-hand books')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'scan_setting',
      'import_line',
      'import_batch',
      'pending_entry',
      'entry_text',
      'account',
    ])
      await runner.query(`DROP TABLE ${table}`);
  }
}
