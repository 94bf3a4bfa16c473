const { MysqlAdapter, MysqlIntrospector, MysqlQueryCompiler } = require('kysely');

/** Kysely's dialect of MySQL over the connections of a TypeORM data source: its own would open connections that nothing sees. */
exports.dialectOver = (sql) => ({
  createAdapter: () => new MysqlAdapter(),
  createQueryCompiler: () => new MysqlQueryCompiler(),
  createIntrospector: (db) => new MysqlIntrospector(db),
  createDriver: () => ({
    init: async () => undefined,
    destroy: async () => undefined,
    acquireConnection: async () => {
      const runner = sql.createQueryRunner();
      return {
        runner,
        executeQuery: async (query) => resultOf(await runner.query(query.sql, [...query.parameters])),
      };
    },
    releaseConnection: ({ runner }) => runner.release(),
    beginTransaction: ({ runner }) => runner.query('START TRANSACTION'),
    commitTransaction: ({ runner }) => runner.query('COMMIT'),
    rollbackTransaction: ({ runner }) => runner.query('ROLLBACK'),
  }),
});

const resultOf = (answer) =>
  Array.isArray(answer)
    ? { rows: answer }
    : { rows: [], numAffectedRows: BigInt(answer.affectedRows), insertId: BigInt(answer.insertId ?? 0) };
