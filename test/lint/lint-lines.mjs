// Prints, as JSON, which of the lines given as arguments the house rules refuse. A process of its own: jest reads no ESM.
import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';
import config from '../../eslint.config.mjs';

const rules = config.find((part) => part.rules?.['no-restricted-syntax'] !== undefined)?.rules;
const linter = new Linter();
const refused = process.argv.slice(2).map((line) => {
  const found = linter.verify(line, [{ languageOptions: { parser: tseslint.parser }, rules }]);
  return found.map(({ ruleId }) => ruleId);
});
process.stdout.write(JSON.stringify(refused));
