import { findGuard } from '#lab/guard';
import { CATALOGUE, findStrategy } from '#lab/strategy';

const names = CATALOGUE.map(({ name }) => name).join(', ');

test.each([
  ['watch-dog', 'watchdog'],
  ['red-lock', 'redlock'],
  ['for_update', 'for-update'],
  ['token-lu', 'token-lua'],
])('the error for the unknown strategy %s names %s', (typed, meant) => {
  expect(() => findStrategy(typed)).toThrow(`there is no strategy "${typed}". Did you mean "${meant}"?`);
});

test('the error for a name that resembles no strategy lists all of them', () => {
  expect(() => findStrategy('my-own-lock')).toThrow(
    `there is no strategy "my-own-lock". Choose one of: ${names}`,
  );
});

test('names that are alike only by the name of their use are not suggested', () => {
  expect(() => findGuard('notification/own')).toThrow('Choose one of: notification/');
});
