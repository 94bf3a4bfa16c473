import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

test('the script for k6 is an ES module (k6 itself is not run: Debian has no package of it)', () => {
  const check = ['--input-type=module', '--check', '-'];
  const input = readFileSync('load-tests/k6/oversell.js');
  expect(() => execFileSync(process.execPath, check, { input, stdio: 'pipe' })).not.toThrow();
  const broken = `${input.toString()}\nimport from 'k6';`;
  expect(() => execFileSync(process.execPath, check, { input: broken, stdio: 'pipe' })).toThrow();
});
