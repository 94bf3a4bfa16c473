import { DRILLS, drillInChinese } from '../../load-tests/drills';

test('what each drill shows, and why it is certain, is said in Chinese, too', () => {
  const sentences = DRILLS.flatMap(({ shows, certainBy }) => [shows, certainBy]);
  expect(sentences.filter((english) => drillInChinese(english) === undefined)).toEqual([]);
});
