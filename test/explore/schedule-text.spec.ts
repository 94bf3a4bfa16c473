import { readSchedule, scheduleText, type Choice } from '#lab/explore';

const step: Choice = { kind: 'step', actor: 'B' };

test('a schedule with 700 steps of one actor in a row is written and read back', () => {
  const choices: Choice[] = [
    { kind: 'step', actor: 'A' },
    ...Array<Choice>(700).fill(step),
    { kind: 'lapse' },
  ];
  expect(scheduleText(choices)).toBe('ab700L');
  expect(readSchedule('ab700L')).toEqual(choices);
});

test.each(['a100001', 'a99999b2', 'a99999999999999999999', 'b60000'.repeat(1000)])(
  '%.30s has more choices than any schedule, and is not read',
  (text) => {
    expect(readSchedule(text)).toBeUndefined();
  },
);
