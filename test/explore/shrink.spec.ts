import { CELLS, play, readToken, type World } from '#lab/explore';
import { EXPLORATION_MS } from '../harness/limits';
import { openWorld } from '../harness/servers';
import { rows } from './committed-matrix';

jest.setTimeout(EXPLORATION_MS);

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

const witnesses = rows.flatMap(({ strategy, cells }) =>
  cells.flatMap(({ cell, token }) => {
    const faultPlaces = CELLS.find(({ name }) => name === cell)?.faultPlaces;
    return token === undefined || faultPlaces === undefined ? [] : [{ strategy, cell, token, faultPlaces }];
  }),
);

test.each(witnesses)(
  'the shortened schedule of $strategy, "$cell", has its fault where the circumstance says',
  async ({ token, faultPlaces }) => {
    const { setup, choices } = readToken(token);
    const played = await play(world, setup, choices, { strict: false, faultPlaces });
    expect(played.choices.slice(0, choices.length)).toEqual(choices);
  },
);
