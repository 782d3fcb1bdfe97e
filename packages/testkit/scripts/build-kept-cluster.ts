/**
 * Part of `npm run build`, after all libraries are bundled: builds the scripts from which Node loads clusters (`src/kept-cluster.ts`), and
 * starts a cluster once, so that their compiled code is cached. In an installed package, the first cluster writes the cache.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { buildScripts } from '../../../scripts/build-scripts.ts';
import { modules } from '../src/kept-modules.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Clusters in tests have hollow nodes. */
const realNodes = ['@coxswain/kubelet/program', '@coxswain/runtime'];

const { files, requires } = await buildScripts({
  input: { cluster: at('../dist/cluster.js') },
  directory: at('../dist/kept'),
  external: /^@coxswain\/(apimachinery|client|kubelet\/program|runtime)(\/|$)/,
});
const missing = requires.filter(
  (name) => name.startsWith('@coxswain/') && !realNodes.includes(name) && !Object.hasOwn(modules, name),
);
if (missing.length > 0) throw new Error(`src/kept-modules.ts lacks ${missing.join(', ')}`);
console.log(`bundled a cluster into ${files.length} scripts`);

/** What most tests do, so that this code is compiled. */
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
