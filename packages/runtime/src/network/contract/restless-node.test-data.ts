/**
 * A program that connects and disconnects the pods p0 to p9 until it is killed. Arguments: a directory, the network namespace of the node,
 * and the directories of plug-ins. Prints a line when a pod was connected.
 */
import { join } from 'node:path';
import { systemClock } from '@coxswain/apimachinery/clock';
import { silentLogger } from '@coxswain/apimachinery/log';
import { HelperCommands } from '@coxswain/linux';
import { NodeNetwork } from '../node-network.ts';
import { CommandsInside } from './test-machine.test-data.ts';
import { testPod } from './test-pod.test-data.ts';

const [directory = '', netns = '', ...pluginPath] = process.argv.slice(2);
const network = new NodeNetwork({
  commands: new CommandsInside(new HelperCommands(), netns),
  clock: systemClock,
  logger: silentLogger,
  stateDirectory: join(directory, 'state'),
  configurationDirectory: join(directory, 'net.d'),
  pluginPath,
  name: 'test',
  bridge: 'coxt0',
  podCIDR: '10.77.1.0/24',
});

async function connectAgainAndAgain(i: number): Promise<void> {
  const mapping = { protocol: 'TCP' as const, containerPort: 80, hostPort: 20_000 + i, hostIP: '' };
  const pod = testPod(`p${i}`, join(directory, 'namespaces', `p${i}`, 'net'), [mapping]);
  for (;;) {
    await network.setUp(pod);
    console.log(pod.id);
    await network.tearDown(pod);
  }
}

await Promise.all(Array.from({ length: 10 }, (_, i) => connectAgainAndAgain(i)));
