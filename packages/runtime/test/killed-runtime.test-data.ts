import { openRuntime } from '../src/open-runtime.ts';

/** A runtime in a process of its own, which a test kills. Arguments: root, state, socket, range of addresses, name of the bridge. */
const [root = '', state = '', endpoint = '', podCIDR = '', bridge = ''] = process.argv.slice(2);

const runtime = await openRuntime({
  root,
  state,
  version: '0.0.0-test',
  network: { configurationDirectory: `${root}/none`, podCIDR, clusterCIDR: podCIDR, name: bridge, bridge },
});
await runtime.listen(endpoint);
process.stdout.write('ready\n');

process.once('SIGTERM', async () => {
  await runtime.network.removeEverything();
  await runtime.close();
  process.exit();
});
