/** The layers of ARCHITECTURE.md: arrows point one way. */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'A cycle means that a line has no room of its own: move what is shared down.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'step-is-the-floor',
      comment: 'libs/step is the one seam; it stands on nothing of ours.',
      severity: 'error',
      from: { path: '^libs/step' },
      to: { path: '^(apps|load-tests|libs/(?!step))' },
    },
    {
      name: 'random-stands-on-nothing',
      comment: 'libs/random computes numbers from a seed: no I/O, and nothing of ours.',
      severity: 'error',
      from: { path: '^libs/random' },
      to: { path: '^(apps|load-tests|libs/(?!random))|node_modules' },
    },
    {
      name: 'balance-knows-step-only',
      comment: 'What is protected must not know how it is protected.',
      severity: 'error',
      from: { path: '^libs/balance' },
      to: { path: '^(apps|load-tests|libs/(?!balance|step))' },
    },
    {
      name: 'locks-know-balance-and-step-only',
      comment: 'A lock protects balances, and knows neither the strategies that use it nor what looks at it.',
      severity: 'error',
      from: { path: '^libs/locks' },
      to: { path: '^(apps|load-tests|libs/(?!locks|balance|step))' },
    },
    {
      name: 'strategy-knows-locks-balance-and-step',
      comment: 'A strategy reads as an article would write it: no Nest, no HTTP, no stack.',
      severity: 'error',
      from: { path: '^libs/strategy' },
      to: { path: '^(apps|load-tests|libs/(?!strategy|locks|balance|step))|node_modules/@nestjs' },
    },
    {
      name: 'guard-knows-strategy-and-step',
      comment:
        'A guard reads as an article would write it: no Nest, no HTTP. It uses the locks of strategies.',
      severity: 'error',
      from: { path: '^libs/guard' },
      to: { path: '^(apps|load-tests|libs/(?!guard|strategy|step))|node_modules/@nestjs' },
    },
    {
      name: 'uses-do-not-import-one-another',
      comment: 'What two uses share is a named helper in libs/guard/src/shared.',
      severity: 'error',
      from: { path: '^libs/guard/src/uses/([^/]+)' },
      to: { path: '^libs/guard/src/uses/', pathNot: '^libs/guard/src/uses/$1' },
    },
    {
      name: 'limit-knows-strategy-and-step',
      comment:
        'A limiter reads as an article would write it: no Nest, no HTTP. Its scripts run as those of strategies.',
      severity: 'error',
      from: { path: '^libs/limit' },
      to: { path: '^(apps|load-tests|libs/(?!limit|strategy|step))|node_modules/@nestjs' },
    },
    {
      name: 'limiters-do-not-import-one-another',
      comment: 'What two limiters share is a named helper in libs/limit/src/shared.',
      severity: 'error',
      from: { path: '^libs/limit/src/limiters/([^/]+)' },
      to: { path: '^libs/limit/src/limiters/', pathNot: '^libs/limit/src/limiters/$1' },
    },
    {
      name: 'strategies-do-not-import-one-another',
      comment: 'What two strategies share is a named helper in libs/strategy/src/shared.',
      severity: 'error',
      from: { path: '^libs/strategy/src/strategies/([^/]+)' },
      to: { path: '^libs/strategy/src/strategies/', pathNot: '^libs/strategy/src/strategies/$1' },
    },
    {
      name: 'verdict-is-pure',
      comment:
        'A verdict is computed from data: no I/O. It knows the words of steps, strategies, guards and limiters, not how they run.',
      severity: 'error',
      from: { path: '^libs/verdict' },
      to: {
        path: '^(apps|load-tests|libs/(?!verdict|strategy|guard|limit|step))|node_modules/(ioredis|mysql2|typeorm|@nestjs)',
      },
    },
    {
      name: 'subject-is-types',
      comment:
        'What a user writes is described by types that need nothing else: the published package contains them alone.',
      severity: 'error',
      from: { path: '^libs/subject' },
      to: { path: '^(apps|load-tests|libs/(?!subject))|node_modules' },
    },
    {
      name: 'kit-is-a-door',
      comment: 'The kit is for the tests of others: nothing of ours imports it.',
      severity: 'error',
      from: { pathNot: '^(libs/kit|test)' },
      to: { path: '^libs/kit' },
    },
    {
      name: 'host-is-the-inside-of-a-replica',
      comment:
        'Only an app whose replicas run strategies has a host: what looks at it from outside goes by HTTP.',
      severity: 'error',
      from: { pathNot: '^(apps/(inventory|account)|libs/host|test)' },
      to: { path: '^libs/host' },
    },
    {
      name: 'host-runs-strategies-and-judges-none',
      comment:
        'A replica neither starts servers nor explores nor judges: it knows the strategies and what is under them.',
      severity: 'error',
      from: { path: '^libs/host' },
      to: { path: '^(apps|load-tests|libs/(?!host|config|http|strategy|locks|balance|step))' },
    },
    {
      name: 'shop-is-for-the-shop',
      comment:
        'libs/http serves any app. What only the shop has is in libs/shop, for the order and the inventory app.',
      severity: 'error',
      from: { pathNot: '^(apps/(order|inventory)|libs/shop|test)' },
      to: { path: '^libs/shop' },
    },
    {
      name: 'shop-is-shapes',
      comment: 'The shapes of the shop run nothing and know no server.',
      severity: 'error',
      from: { path: '^libs/shop' },
      to: { path: '^(apps|load-tests|libs/(?!shop|step))|node_modules/(ioredis|mysql2|typeorm)' },
    },
    {
      name: 'libs-know-no-app',
      comment: 'Arrows point from apps to libs.',
      severity: 'error',
      from: { path: '^libs' },
      to: { path: '^(apps|load-tests|test)' },
    },
    {
      name: 'enter-a-library-by-its-door',
      comment: 'Import #lab/NAME, not a file inside it: the door is index.ts.',
      severity: 'error',
      from: { path: '^(apps|load-tests|libs/([^/]+))' },
      to: { path: '^libs/([^/]+)/src/(?!index\\.ts)', pathNot: '^libs/$2/' },
    },
    {
      name: 'seam-knows-no-client',
      comment: 'Clients pass their calls through the seam (libs/step/src/seam); the seam knows none of them.',
      severity: 'error',
      from: { path: '^libs/step/src/seam/' },
      to: { path: '^libs/step/src/clients/' },
    },
    {
      name: 'explorer-rooms-have-doors',
      comment: 'A room of libs/explore is entered by its index.ts.',
      severity: 'error',
      from: { path: '^libs/explore/src/([a-z]+)/' },
      to: { path: '^libs/explore/src/([a-z]+)/(?!index\\.ts)', pathNot: '^libs/explore/src/$1/' },
    },
    ...['world', 'actors', 'execution', 'faults', 'schedule', 'interactive', 'search', 'matrix'].map(
      (room, i, rooms) => ({
        name: `explorer-${room}-stands-below`,
        comment:
          'world < actors < execution < faults < schedule < interactive < search < matrix < render: a room imports only rooms before it.',
        severity: 'error',
        from: { path: `^libs/explore/src/${room}/` },
        to: { path: `^libs/explore/src/(${[...rooms.slice(i + 1), 'render'].join('|')})/` },
      }),
    ),
    {
      name: 'the-page-runs-in-a-browser',
      comment:
        'The page of the console knows the server by its API: it imports nothing of ours, so that no server code is bundled.',
      severity: 'error',
      from: { path: '^apps/console/web' },
      to: { path: '^(apps/(?!console/web)|load-tests|libs)' },
    },
    {
      name: 'nothing-imports-the-page',
      comment: 'The server serves the built page, and does not know its sources.',
      severity: 'error',
      from: { pathNot: '^apps/console/web' },
      to: { path: '^apps/console/web' },
    },
    {
      name: 'nothing-imports-tests',
      comment: 'Product code never depends on test code.',
      severity: 'error',
      from: { pathNot: '^test' },
      to: { path: '^test' },
    },
    {
      name: 'resolvable',
      comment:
        'Every import must resolve. k6 itself provides the modules that its scripts import; recipes, and the clients beside them, import packages that are installed when they are needed.',
      severity: 'error',
      from: { pathNot: '^(load-tests/k6|libs/libraries/(recipes|clients))/' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^dist'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'require', 'node', 'default', 'types'],
    },
  },
};
