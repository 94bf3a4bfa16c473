/** Real servers: a private Redis and database per jest worker (test/harness), a schema per spec file. */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.spec.ts', '<rootDir>/libs/**/*.spec.ts', '<rootDir>/apps/**/*.spec.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/\\.lab/', '<rootDir>/runs/'],
  moduleNameMapper: {
    '^#lab/(.*)$': '<rootDir>/libs/$1/src/index.ts',
    '^#load-tests/(.*)$': '<rootDir>/load-tests/$1',
  },
  // Types are checked by `npm run check`; here sources are only translated.
  transform: {
    '^.+\\.ts$': ['ts-jest', { transpilation: true, tsconfig: '<rootDir>/test/tsconfig.jest.json' }],
  },
  globalSetup: '<rootDir>/test/harness/global-setup.mjs',
  globalTeardown: '<rootDir>/test/harness/global-teardown.mjs',
  testSequencer: '<rootDir>/test/harness/slowest-first.cjs',
  // More than the processors: in most suites a worker often waits for a server. At most 15, the Redis databases.
  maxWorkers: 4,
  // Ends a test that hangs, also on a busy machine. What is fast is measured by a bench, never by a test.
  testTimeout: 900_000,
};
