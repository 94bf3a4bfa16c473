import type { MigrationInterface, QueryRunner } from 'typeorm';

const NAME = 'VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin';
const ID = 'id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY';

/** The tables of the uses. Where a guard depends on a unique key, only its own rows fill the column of that key. */
export class Actions1700000002001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE notification (
        ${ID},
        order_id ${NAME} NOT NULL UNIQUE,
        request  ${NAME} NOT NULL,
        sent     BOOLEAN NOT NULL COMMENT 'the gateway has confirmed it'
      ) ENGINE = InnoDB`);
    await runner.query(`
      CREATE TABLE submission (
        ${ID},
        form    ${NAME} NOT NULL,
        once    ${NAME} NULL UNIQUE COMMENT 'the form, in rows of guards that rely on a unique key',
        request ${NAME} NOT NULL,
        KEY of_form (form)
      ) ENGINE = InnoDB`);
    await runner.query(`
      CREATE TABLE order_number (
        ${ID},
        number  BIGINT NOT NULL,
        request ${NAME} NOT NULL,
        KEY by_number (number)
      ) ENGINE = InnoDB`);
    await runner.query(`
      CREATE TABLE number_segment (
        name VARCHAR(16) NOT NULL PRIMARY KEY,
        last BIGINT NOT NULL COMMENT 'the last number that was given to a process'
      ) ENGINE = InnoDB`);
    await runner.query(`
      CREATE TABLE job_run (
        ${ID},
        period  ${NAME} NOT NULL,
        request ${NAME} NOT NULL,
        KEY of_period (period)
      ) ENGINE = InnoDB`);
    await runner.query(`
      CREATE TABLE job_period (
        period ${NAME} NOT NULL PRIMARY KEY
      ) ENGINE = InnoDB`);
    await runner.query(`
      CREATE TABLE journal (
        ${ID},
        position BIGINT NOT NULL,
        epoch    BIGINT NOT NULL COMMENT 'of the leader that wrote the entry; 0: it has none',
        request  ${NAME} NOT NULL
      ) ENGINE = InnoDB`);
    await runner.query(`
      CREATE TABLE journal_epoch (
        name  VARCHAR(16) NOT NULL PRIMARY KEY,
        epoch BIGINT NOT NULL COMMENT 'the latest epoch that has written: older ones are refused'
      ) ENGINE = InnoDB`);
    await runner.query(`
      CREATE TABLE credit (
        ${ID},
        message ${NAME} NOT NULL,
        once    ${NAME} NULL UNIQUE COMMENT 'the message, in rows of guards that rely on a unique key',
        request ${NAME} NOT NULL,
        KEY of_message (message)
      ) ENGINE = InnoDB`);
    await runner.query(`
      CREATE TABLE page_build (
        ${ID},
        page    ${NAME} NOT NULL,
        request ${NAME} NOT NULL,
        KEY of_page (page)
      ) ENGINE = InnoDB`);
    await runner.query("INSERT INTO number_segment (name, last) VALUES ('order', 0)");
    await runner.query("INSERT INTO journal_epoch (name, epoch) VALUES ('journal', 0)");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP TABLE page_build, credit, journal_epoch, journal, job_period, job_run, number_segment, order_number, submission, notification',
    );
  }
}
