const mysql2 = require('mysql2');

/**
 * Calls `open`, which opens a connection of the package mysql2, and gives it one of a TypeORM data source: one of its own would
 * be seen by nothing. Returns what `open` returned, and a function that closes the connection.
 */
exports.withConnection = (sql, open) => {
  const { createConnection } = mysql2;
  const runner = sql.createQueryRunner();
  mysql2.createConnection = () => connectionOver(runner);
  try {
    return [open({ host: 'of the lab', database: 'of the lab' }), () => runner.release()];
  } finally {
    mysql2.createConnection = createConnection;
  }
};

/** The methods with callbacks that a library calls. */
const connectionOver = (runner) => {
  const query = (text, done) => {
    runner.query(text).then((rows) => done(null, rows), done);
  };
  return {
    on: () => undefined,
    query,
    beginTransaction: (done) => query('START TRANSACTION', done),
    commit: (done) => query('COMMIT', done),
    rollback: (done) => query('ROLLBACK', done),
  };
};
