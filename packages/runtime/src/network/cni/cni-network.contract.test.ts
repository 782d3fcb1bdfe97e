import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@coxswain/apimachinery/clock';
import { silentLogger } from '@coxswain/apimachinery/log';
import { addressRanges } from '../addresses/index.ts';
import { describePodNetwork, testRanges } from '../contract/describe-pod-network.test-data.ts';
import { networkTestProblem, type TestMachine } from '../contract/test-machine.test-data.ts';
import { PacketTable } from '../firewall/index.ts';
import { CNINetwork } from './cni-network.ts';
import { DefaultNetwork } from './default-network.ts';

const pluginPath = ['/opt/cni/bin', '/usr/lib/cni', '/usr/libexec/cni'].filter((path) =>
  existsSync(join(path, 'bridge')),
);

const start = async ({ commands, directory }: TestMachine): Promise<CNINetwork> => {
  const configurationDirectory = join(directory, 'net.d');
  const stateDirectory = join(directory, 'state');
  const { podCIDR, clusterCIDR } = testRanges;
  const ranges = addressRanges(podCIDR);
  const options = { configurationDirectory, stateDirectory, pluginPath };
  await new DefaultNetwork({ ...options, name: 'test', bridge: 'coxt0' }).write({ ranges, ipMasq: false });
  const contents = {
    podRanges: ranges,
    podAddresses: [],
    clusterRanges: addressRanges(clusterCIDR),
    bridge: 'coxt0',
    hostPorts: [],
  };
  await new PacketTable({ commands, name: 'test', contents: () => contents }).write();
  return new CNINetwork({ ...options, commands, clock: systemClock, logger: silentLogger, podCIDR });
};

const problem = networkTestProblem('nft', 'iptables') ?? (pluginPath.length === 0 ? 'no CNI plug-ins' : undefined);

describePodNetwork('CNINetwork with the default network', problem, { start, removeEverything: async () => {} });
