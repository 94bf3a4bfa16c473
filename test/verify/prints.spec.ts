import { receivePrints, Schedule } from '#lab/explore';
import { openOwnFiles } from './own-files';

const { world, ofFile } = openOwnFiles(__filename);

const PRINTS = `
  console.log('loaded');
  exports.createLock = ({ redis }) => ({
    async acquire(resource, { leaseMs }) {
      console.error('acquires', { leaseMs });
      await redis.set(resource, 'x', 'PX', leaseMs, 'NX');
      require('node:console').info('%s is taken', resource);
      return { resource };
    },
    release: ({ resource }) => redis.del(resource),
  });`;

test('what a file prints reaches the listener with the name of its actor, and nothing else', async () => {
  const printed: (readonly [string | undefined, string])[] = [];
  receivePrints((text, actor) => printed.push([actor, text]));
  const written = jest.spyOn(process.stdout, 'write');
  const strategy = ofFile('prints.js', PRINTS);
  const schedule = await Schedule.begin(world(), strategy, { processes: ['p1'] });
  await schedule.A.finish();
  await schedule.end();
  receivePrints(() => undefined);
  expect(written).not.toHaveBeenCalled();
  written.mockRestore();
  expect(new Set(printed.map((one) => one.join(': ')))).toEqual(
    new Set([': loaded', 'A: acquires { leaseMs: 10000 }', 'A: lock:{item}:own-prints is taken']),
  );
});
