/**
 * Part of `npm run build`, after all libraries are joined: makes the scripts that Node loads clusters from (`src/kept-cluster.ts`), and starts a
 * cluster once, so that they are kept as they were compiled. Whoever installs the package keeps them with the first cluster.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { buildScripts } from '../../../scripts/build-scripts.ts';
import { modules } from '../src/kept-modules.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const { files, requires } = await buildScripts({
  input: { cluster: at('../dist/cluster.js') },
  directory: at('../dist/kept'),
  external: /^@coxswain\/(apimachinery|client)(\/|$)/,
});
const missing = requires.filter((name) => name.startsWith('@coxswain/') && !Object.hasOwn(modules, name));
if (missing.length > 0) throw new Error(`src/kept-modules.ts lacks ${missing.join(', ')}`);
console.log(`joined a cluster into ${files.length} scripts`);

/** What most tests do. */
const program = `
  import { startCluster } from '@coxswain/testkit';
  const cluster = await startCluster();
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web' }] } };
  const spec = { replicas: 1, selector: { matchLabels: { app: 'web' } }, template };
  await cluster.apply([{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec }]);
  await cluster.untilPodsRunning('app=web');
  await cluster.settle();
  await cluster.stop();`;
execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd: at('..'), stdio: 'inherit' });
