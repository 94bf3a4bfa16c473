// The coupon SPRING is for one customer. Mend redeem and its table.

async function redeem({ sql }, customer) {
  try {
    await sql.query("INSERT INTO redemption (code, customer) VALUES ('SPRING', ?)", [customer]);
    return 'redeemed';
  } catch (error) {
    if (error.code === 'ER_DUP_ENTRY') return 'already used';
    throw error;
  }
}

exports.subject = {
  setUp: ({ sql }) =>
    sql.query('CREATE TABLE redemption (code VARCHAR(20) PRIMARY KEY, customer VARCHAR(20) NOT NULL)'),
  prepare: ({ sql }) => sql.query('DELETE FROM redemption'),
  actors: [(clients) => redeem(clients, 'ann'), (clients) => redeem(clients, 'ben')],
  invariants: {
    'the coupon is redeemed once': async ({ sql }) =>
      (await sql.query('SELECT * FROM redemption')).length <= 1,
    'of two answers, exactly one is "redeemed"': (_, outcomes) =>
      outcomes.some(({ state }) => state !== 'returned') ||
      outcomes.filter(({ value }) => value === 'redeemed').length === 1,
    'who is answered "redeemed" has the row': async ({ sql }, outcomes) => {
      const customers = (await sql.query('SELECT customer FROM redemption')).map(({ customer }) => customer);
      return ['ann', 'ben'].every((name, i) => outcomes[i].value !== 'redeemed' || customers.includes(name));
    },
  },
};
