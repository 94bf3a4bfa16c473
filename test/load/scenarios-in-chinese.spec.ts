import { DEMO, MORE, shownInChinese } from '../../load-tests/scenarios';

test('what each scenario shows is said in Chinese, too', () => {
  const missing = [...DEMO, ...MORE].filter(({ shows }) => shownInChinese(shows) === undefined);
  expect(missing.map(({ shows }) => shows)).toEqual([]);
});
