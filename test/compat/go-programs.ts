import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Stage } from './stage.ts';
import { readGoTest, readVerdicts, type Verdict } from './verdict.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const judge = join(folder, '.cache', 'judge');
const buildTimeoutMs = 600_000;
/** So long as if every step of it failed. */
const judgeTimeoutMs = 1_500_000;

/** Has a cluster judged by a program that uses client-go. */
export async function judgeCluster(stage: Stage, kubeconfig: string): Promise<readonly Verdict[]> {
  const built = await stage.run('go-build', ['go', 'build', '-C', folder, '-o', judge, './judge'], buildTimeoutMs);
  if (built.trim() !== '') throw new Error(`the judge does not build: ${built}`);
  const verdicts = readVerdicts(await stage.run('judge', [judge, `-kubeconfig=${kubeconfig}`], judgeTimeoutMs));
  if (verdicts.length === 0) throw new Error('the judge said nothing');
  return verdicts;
}

/** Has the tests of the operator run on envtest, with the programs of a folder. */
export async function testOperator(stage: Stage, assets: string): Promise<readonly Verdict[]> {
  const programs = { KUBE_APISERVER: 'kube-apiserver', ETCD: 'etcd', KUBECTL: 'kubectl' };
  const variables = Object.entries(programs).map(([name, file]) => `TEST_ASSET_${name}=${join(assets, file)}`);
  // Not the tests' cache: it does not know that the servers have changed.
  const test = ['go', 'test', '-C', folder, '-count=1', '-json', './operator'];
  const verdicts = readGoTest(await stage.run('go-test', ['env', ...variables, ...test], buildTimeoutMs));
  if (verdicts.length === 0) throw new Error('the operator was not tested; go-test.log tells why');
  return verdicts;
}
