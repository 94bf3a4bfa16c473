import { FaultSyntaxError, LONGEST_FAULT_MS, parseFaults } from '#lab/step';

test('a fault has an app, a moment, a verb, a count, a reply and an action', () => {
  expect(parseFaults('order:after(SETNX#2=1)=pause(300)')).toEqual([
    {
      source: 'order:after(SETNX#2=1)=pause(300)',
      app: 'order',
      when: 'after',
      verb: 'SETNX',
      nth: 2,
      reply: '1',
      action: { kind: 'pause', ms: 300 },
    },
  ]);
});

test('the app defaults to inventory and the count to one', () => {
  expect(parseFaults('before(DEL)=kill')).toMatchObject([
    { app: 'inventory', nth: 1, action: { kind: 'kill' } },
  ]);
});

test.each([
  ['after(UPDATE)=block(2000)', { kind: 'block', ms: 2000 }],
  ['after(UPDATE)=delay(1)', { kind: 'delay', ms: 1 }],
  ['after(SET)=lose-reply', { kind: 'lose-reply' }],
  ['before(SET)=error', { kind: 'error' }],
  ['before(DEL)=pause(lock-taken)', { kind: 'pause-until', event: 'lock-taken' }],
  ['before(UPDATE)=pause(sale)', { kind: 'pause-until', event: 'sale' }],
])('%s is parsed', (header, action) => {
  expect(parseFaults(header)).toMatchObject([{ action }]);
});

test('several faults are separated by semicolons', () => {
  expect(parseFaults('after(SET)=delay(5); before(DEL)=kill').map(({ verb }) => verb)).toEqual([
    'SET',
    'DEL',
  ]);
});

test('a name that is not all upper case is the name of a Lua script, in lower case', () => {
  expect(
    parseFaults('before(release-if-owner)=kill;before(Release-If-Owner)=kill').map(({ verb }) => verb),
  ).toEqual(['release-if-owner', 'release-if-owner']);
});

test.each([
  ['', 'it does not match the grammar'],
  ['after(SET)', 'it does not match the grammar'],
  ['during(SET)=kill', 'it does not match the grammar'],
  ['after(SET)=explode', 'there is no action'],
  ['after(SET#0)=kill', 'counts from 1'],
  ['before(SET=OK)=kill', 'no reply to compare'],
  ['before(SET)=lose-reply', 'only after the step'],
  ['after(SET)=kill(3)', 'takes no argument'],
  ['after(SET)=pause', 'whole milliseconds'],
  ['after(SET)=pause(0)', 'whole milliseconds'],
  [`after(SET)=delay(${LONGEST_FAULT_MS + 1})`, 'whole milliseconds'],
  ['after(SET)=kill;after(SET)=kill;after(SET)=kill;after(SET)=kill;after(SET)=kill', 'at most 4'],
])('"%s" is rejected, and the message contains the whole grammar', (header, why) => {
  expect(() => parseFaults(header)).toThrow(FaultSyntaxError);
  expect(() => parseFaults(header)).toThrow(why);
  expect(() => parseFaults(header)).toThrow('before|after(VERB[#n][=reply])=ACTION');
});
