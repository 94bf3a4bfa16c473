import { completePlan, labOf, runLoad, type LoadRun } from '#load-tests/run';
import { openShop } from './support';

const shop = openShop('two-loads');

test('two loads on one lab run one after the other: both are judged as documented', async () => {
  const progress: string[] = [];
  const run = async (strategy: string): Promise<LoadRun> => {
    const { target, control } = labOf(shop().stack);
    const plan = completePlan({ strategy, stock: 10, requests: 60 });
    const observer = { progress: (text: string) => progress.push(text) };
    try {
      return await runLoad(target, control, plan, observer);
    } finally {
      await target.close();
    }
  };
  const [unlocked, exact] = await Promise.all([run('none'), run('conditional-update')]);
  expect(progress).toContain(`waiting for the other load on this lab, of process ${process.pid}`);
  expect(unlocked.verdict).toMatchObject({ verdict: 'violated', asExpected: true });
  expect(exact.verdict).toMatchObject({ verdict: 'safe', asExpected: true });
});
