import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JudgedNode } from './nodes.ts';
import type { Stage } from './stage.ts';
import { readGoTest, readVerdicts, type Verdict } from './verdict.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const judge = join(folder, '.cache', 'judge');
const buildTimeoutMs = 600_000;
/** Enough time for every step to time out. */
const judgeTimeoutMs = 1_500_000;

/** Runs the checks of `judge`, a program based on client-go, on a cluster. */
export function judgeCluster(stage: Stage, kubeconfig: string): Promise<readonly Verdict[]> {
  return judged(stage, [`-kubeconfig=${kubeconfig}`]);
}

/** Runs the judge's checks of a node that runs containers, the only one of its cluster. */
export function judgeNode(stage: Stage, kubeconfig: string, node: JudgedNode): Promise<readonly Verdict[]> {
  const { name, manifests, image } = node;
  const flags = [`-node=${name}`, `-manifests=${manifests}`, `-image=${image}`];
  return judged(stage, [`-kubeconfig=${kubeconfig}`, ...flags]);
}

async function judged(stage: Stage, flags: readonly string[]): Promise<readonly Verdict[]> {
  const built = await stage.run('go-build', ['go', 'build', '-C', folder, '-o', judge, './judge'], buildTimeoutMs);
  if (built.trim() !== '') throw new Error(`the judge did not compile: ${built}`);
  const verdicts = readVerdicts(await stage.run('judge', [judge, ...flags], judgeTimeoutMs));
  if (verdicts.length === 0) throw new Error('the judge printed no verdicts');
  return verdicts;
}

/** Runs the operator's tests on envtest, with the programs in a folder. */
export async function testOperator(stage: Stage, assets: string): Promise<readonly Verdict[]> {
  const programs = { KUBE_APISERVER: 'kube-apiserver', ETCD: 'etcd', KUBECTL: 'kubectl' };
  const variables = Object.entries(programs).map(([name, file]) => `TEST_ASSET_${name}=${join(assets, file)}`);
  // Without Go's test cache, which does not notice changes of the servers.
  const test = ['go', 'test', '-C', folder, '-count=1', '-json', './operator'];
  const verdicts = readGoTest(await stage.run('go-test', ['env', ...variables, ...test], buildTimeoutMs));
  if (verdicts.length === 0) throw new Error('the operator was not tested; go-test.log has the reason');
  return verdicts;
}
