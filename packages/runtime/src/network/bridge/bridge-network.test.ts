import { join } from 'node:path';
import { silentLogger } from '@coxswain/apimachinery/log';
import { describePodNetwork, testRanges } from '../contract/describe-pod-network.test-data.ts';
import { networkTestProblem, type TestMachine } from '../contract/test-machine.test-data.ts';
import { BridgeNetwork } from './bridge-network.ts';

const start = async ({ commands, directory }: TestMachine): Promise<BridgeNetwork> =>
  new BridgeNetwork({
    commands,
    logger: silentLogger,
    stateDirectory: join(directory, 'state'),
    name: 'test',
    bridge: 'coxt0',
    ...testRanges,
  });

describePodNetwork('BridgeNetwork', networkTestProblem('nft'), {
  start,
  removeEverything: async (network) => {
    if (network instanceof BridgeNetwork) await network.removeEverything();
  },
});
