import { explore } from '#lab/kit';
import { createPool, type Pool } from 'mysql2/promise';
import { kitServers } from './support';

test('a statement that the database does not answer, without a wait for a lock, ends the exploration', async () => {
  const exploring = explore({
    servers: kitServers(),
    connect: ({ mysql }): { readonly pool: Pool } => ({ pool: createPool(mysql) }),
    actors: [({ pool }) => pool.query('DO SLEEP(1000)'), ({ pool }) => pool.query('SELECT 1')],
    invariants: { 'it is never judged': () => false },
  });
  await expect(exploring).rejects.toMatchObject({
    code: 'EXPLORE.UNANSWERED',
    message: expect.stringContaining('"DO SLEEP(1000)" of A') as unknown,
  });
});
