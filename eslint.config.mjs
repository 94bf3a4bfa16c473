import jest from 'eslint-plugin-jest';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

/** House rules: each says what to do instead. */
const houseRules = {
  'no-restricted-properties': [
    'error',
    {
      object: 'process',
      property: 'env',
      message: 'Only libs/config reads the environment: import { readConfig } from "#lab/config".',
    },
    {
      object: 'Date',
      property: 'now',
      message: 'Time comes from an injected Clock (#lab/step), so that a schedule can move it.',
    },
  ],
  'no-restricted-globals': ['error', { name: 'fetch', message: 'Use undici, which keeps connections open.' }],
};

/**
 * What may stand in the text of a statement: constants in CAPITALS, placeholders (`lines.map(() => '(?)').join()`), and under
 * these names parts of the statement itself, which never hold a value of a request.
 */
const PART = /^([A-Z][A-Z0-9_]*|schema|table|columns|where|rest)$/;
const allowed = [
  `Identifier[name=${PART}]`,
  'MemberExpression[property.name="schema"]',
  'CallExpression[callee.property.name="join"][callee.object.callee.property.name="map"][callee.object.arguments.0.body.type="Literal"]',
];
const inQuery = (what) => `CallExpression[callee.property.name=/^(query|execute)$/] > ${what}.arguments`;
const sqlMessage =
  'A value never stands in the text of a statement: write ? and hand it over as a parameter (a schema or column: ??, or a constant in CAPITALS).';
const sqlRules = [
  'error',
  {
    selector: `${inQuery('TemplateLiteral')} > :not(${allowed.join(', ')}).expressions`,
    message: sqlMessage,
  },
  { selector: `${inQuery('BinaryExpression')}[operator="+"]`, message: sqlMessage },
];

/** Texts for people, by the names of their fields and variables. */
const TEXT = /^(because|sentence|headline|what|words|mechanism|defect)$/;
const isText = (node) => `:matches([${node}.name=${TEXT}], [${node}.property.name=${TEXT}])`;
const textMessage =
  'A text for people decides nothing: give the reason a stable code (a discriminated union), compare that, and render the text in one place.';
const textRules = [
  `CallExpression[callee.property.name=/^(includes|startsWith|endsWith|match|matchAll|search)$/]${isText('callee.object')}`,
  `CallExpression[callee.property.name=/^(test|exec)$/]${isText('arguments.0')}`,
  `BinaryExpression[operator=/^[!=]==?$/][right.type="Literal"][right.value=/./]${isText('left')}`,
].map((selector) => ({ selector, message: textMessage }));

export default tseslint.config(
  // examples are packages of their own: their types are those of the installed package
  { ignores: ['dist/', 'node_modules/', '.lab/', 'runs/', 'coverage/', 'examples/'] },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [...tseslint.configs.strictTypeChecked, prettier],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      ...houseRules,
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // Nest's option types are classes that are meant to be given as literals
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
    },
  },
  // not the harness: it makes schemas of its own
  {
    files: ['apps/**/*.{ts,tsx}', 'libs/**/*.ts', 'load-tests/**/*.ts'],
    rules: { 'no-restricted-syntax': [...sqlRules, ...textRules] },
  },
  // the page runs in a browser: it has no undici, and no schedule moves its time
  {
    files: ['apps/console/web/**/*.{ts,tsx}'],
    rules: { 'no-restricted-globals': 'off', 'no-restricted-properties': 'off' },
  },
  { files: ['libs/config/**/*.ts'], rules: { 'no-restricted-properties': 'off' } },
  {
    files: ['test/**/*.ts', '**/*.spec.ts'],
    plugins: { jest },
    rules: {
      'jest/expect-expect': ['error', { assertFunctionNames: ['expect', 'expect*'] }],
      'jest/no-disabled-tests': 'error',
      'jest/no-focused-tests': 'error',
      'jest/valid-expect': 'error',
    },
  },
);
