import { defineConfig } from 'vite';
import { highlightedSources } from './build/highlighted-sources.ts';

/** Builds the page to dist/web, which apps/console/src/page/serve-page.ts serves. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [highlightedSources()],
  build: {
    outDir: '../../../dist/web',
    emptyOutDir: true,
    target: ['chrome111', 'firefox115', 'safari16.4'],
    reportCompressedSize: true,
    // the highlighter takes most of the time, as expected
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
});
