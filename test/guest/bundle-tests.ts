import { readdirSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { rolldown } from 'rolldown';

export interface BundleTestsOptions {
  readonly repository: string;
  /** Test files and directories of them, in the repository. */
  readonly tests: readonly string[];
  /** The directory to write to, which is at the root of the repository in the guest. */
  readonly to: string;
}

/** The configuration for vitest, and below it a file for each test, named as its source. */
export const bundledTests = { config: 'vitest.guest.config.mjs', directory: 'bundled-tests' };

/** vitest loads what is below `node_modules` by Node alone, without looking at the code. */
const bundles = 'node_modules/.bundled-tests';

/**
 * Bundles tests with all sources that they import into a few files. To find and to transform the modules one by one takes an emulator
 * minutes. npm packages are not in the bundles.
 */
export async function bundleTests({ repository, tests, to }: BundleTestsOptions): Promise<void> {
  const files = [...new Set(tests.flatMap((test) => testFiles(repository, test)))];
  if (files.length === 0) return;
  const bundle = await rolldown({
    input: Object.fromEntries(files.map((file) => [nameOf(file), join(repository, file)])),
    platform: 'node',
    resolve: { conditionNames: ['coxswain-source', 'node', 'import', 'default'] },
    external: (id) => /^[a-z@]/.test(id) && !id.startsWith('@coxswain/'),
    logLevel: 'silent',
  });
  try {
    await bundle.write({
      dir: join(to, bundles),
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name]-[hash].mjs',
    });
  } finally {
    await bundle.close();
  }
  for (const file of files) {
    const path = join(to, bundledTests.directory, bundledName(file));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `import '${'../'.repeat(file.split('/').length)}${bundles}/${nameOf(file)}.mjs';\n`);
  }
  await writeFile(join(to, bundledTests.config), configuration);
}

/** Returns the path of a test in the guest, or of a directory of tests, as vitest is told it. */
export const bundledName = (path: string): string => path.replace(/\.ts$/, '.mjs');

const nameOf = (file: string): string => `${dirname(file).replaceAll('/', '-')}-${basename(file, '.ts')}`;

function testFiles(repository: string, path: string): string[] {
  if (!statSync(join(repository, path)).isDirectory()) return [path];
  const entries = readdirSync(join(repository, path), { recursive: true, encoding: 'utf8' });
  return entries
    .filter((entry) => /^(?!.*node_modules).*\.test\.ts$/.test(entry) && !entry.startsWith('dist'))
    .map((entry) => join(path, entry));
}

/** One process runs all tests, one after the other. */
const configuration = `const factor = Math.max(1, Number(process.env.COXSWAIN_TIME_FACTOR) || 1);
export default {
  test: {
    include: ['${bundledTests.directory}/**/*.test.mjs'],
    pool: 'forks',
    isolate: false,
    fileParallelism: false,
    testTimeout: 60_000 * factor,
    hookTimeout: 60_000 * factor,
  },
};
`;
