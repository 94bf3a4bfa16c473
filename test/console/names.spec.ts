import { Classroom } from '../../apps/console/src/classroom';

const classroom = new Classroom(true);

/** The name under which a student joins, or why it is refused. */
function nameOf(name: string): string {
  const joined = classroom.join(classroom.code, name, '127.0.0.1');
  return typeof joined === 'string' ? joined : joined.member.name;
}

test.each(['👩‍👩‍👧 Lee', '❤️', '🇨🇳', 'می‌خواهم', 'שרה כהן', '李小龍', "O'Brien & co"])(
  'the name %s is shown as it was entered',
  (name) => {
    expect(nameOf(name)).toBe(name);
  },
);

test.each([
  ['<b>bold</b>', 'bbold/b'],
  ['\u202Eann\u202C', 'ann'],
  ['two\nlines', 'twolines'],
])('the name %j is shown as %j: without HTML, controls and marks of direction', (name, shown) => {
  expect(nameOf(name)).toBe(shown);
});

test('a name of which nothing is visible is refused', () => {
  expect(['\u200D', '\u3164', ' \uFE0F ', '\u200C\u200D'].map(nameOf)).toEqual(Array(4).fill('no-name'));
});

test('names that look the same are the same name', () => {
  expect(nameOf('Zoé')).toBe('Zoé');
  expect(['Zoe\u0301', 'Zo\u200Dé', 'Zoé\u3164', 'Zoé \u200B'].map(nameOf)).toEqual(
    Array(4).fill('name-taken'),
  );
});
