import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Set where the processor is emulated (test/guest). */
const timeFactor = Math.max(1, Number(process.env.COXSWAIN_TIME_FACTOR) || 1);

export default defineConfig({
  // Tests run on the sources of every package, so that no build has to come first.
  ssr: { resolve: { conditions: ['coxswain-source'] } },
  resolve: {
    conditions: ['coxswain-source'],
    alias: [
      { find: /^fast-check$/, replacement: fileURLToPath(new URL('scripts/seeded-fast-check.ts', import.meta.url)) },
    ],
  },
  test: {
    // Clusters in tests have hollow nodes, also where containers could run.
    env: { COX_RUNTIME: 'hollow' },
    include: [
      'packages/*/src/**/*.test.ts',
      'packages/*/test/**/*.test.ts',
      'scripts/**/*.test.ts',
      'examples/**/*.test.ts',
      'bench/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    maxWorkers: 2,
    experimental: { fsModuleCache: true },
    // A machine may be busy; what hangs is found all the same.
    testTimeout: 60_000 * timeFactor,
    hookTimeout: 60_000 * timeFactor,
  },
});
