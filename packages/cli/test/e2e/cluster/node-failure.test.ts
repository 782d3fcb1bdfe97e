import { startCluster, type TestCluster } from '@coxswain/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBinary } from '../binaries.ts';
import { Shell } from '../shell.ts';
import { events } from './events.ts';

/* The cluster of `cox up` in this process: pods leave a dead node after minutes, so the test advances the clock. */

describe.skipIf(!findBinary('kubectl'))('a node that fails', () => {
  let cluster: TestCluster;
  let shell: Shell;
  /** The pods on the node that fails. */
  let lost: string[];
  const kubectl = (command: string) => shell.run(`kubectl ${command}`);
  const podsOn = async (node: string) =>
    (await kubectl(`get pods --field-selector spec.nodeName=${node} -o name`))
      .split('\n')
      .filter((name) => name !== '');

  beforeAll(async () => {
    cluster = await startCluster();
    shell = new Shell(await cluster.kubeconfigFile());
    await kubectl('create deployment web --image=web:1 --replicas=4');
    await kubectl('rollout status deployment/web');
    lost = await podsOn('hollow-0');
    await kubectl('annotate node hollow-0 hollow.coxswain.dev/failed=true');
  }, 120_000);
  afterAll(async () => {
    shell?.close();
    await cluster?.stop();
  }, 60_000);

  it('is not ready after a while without heartbeats', async () => {
    expect(lost.length).toBe(2);
    await cluster.advance('10s');
    expect(await kubectl('get node hollow-0 --no-headers')).toContain('hollow-0   Ready   ');
    await cluster.advance('50s');
    expect(await kubectl('get nodes --no-headers')).toMatch(/^hollow-0 {3}NotReady {3}.*\nhollow-1 {3}Ready {3}/);
    const condition = `{.status.conditions[?(@.type=="Ready")]`;
    expect(
      await kubectl(`get node hollow-0 -o jsonpath='${condition}.status} ${condition}.reason}: ${condition}.message}'`),
    ).toBe('Unknown NodeStatusUnknown: Kubelet stopped posting node status.');
    expect(
      await kubectl(`get node hollow-0 -o jsonpath='{range .spec.taints[*]}{.key}:{.effect}{"\\n"}{end}' | sort`),
    ).toBe('node.kubernetes.io/unreachable:NoExecute\nnode.kubernetes.io/unreachable:NoSchedule');
    await expect
      .poll(() => events(shell, 'default', 'Node/hollow-0'), patience)
      .toContain('Normal NodeNotReady: Node hollow-0 status is now: NodeNotReady');
    for (const pod of lost) {
      expect(await kubectl(`get ${pod} -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}'`)).toBe('False');
      await expect
        .poll(() => events(shell, 'default', pod.replace('pod', 'Pod')), patience)
        .toContain('Warning NodeNotReady: Node is not ready');
    }
    expect(await kubectl(`logs ${lost[0]}`)).toContain('[exit 1]');
  });

  it('keeps its pods while they tolerate the taint', async () => {
    await cluster.advance('4m');
    expect(await podsOn('hollow-0')).toEqual(lost);
    expect(await kubectl('get deployment web --no-headers')).toContain('web   2/4   4   2   ');
  });

  it('loses its pods then, and their replacements run on another node', async () => {
    await cluster.advance('90s');
    expect(await kubectl('rollout status deployment/web')).toContain('successfully rolled out');
    expect((await podsOn('hollow-1')).length).toBe(4);
    for (const pod of lost) {
      expect(await kubectl(`get ${pod} --no-headers`)).toContain(' Terminating ');
      await expect
        .poll(() => events(shell, 'default', pod.replace('pod', 'Pod')), patience)
        .toContain(`Normal TaintManagerEviction: Marking for deletion Pod default/${pod.slice(4, -6)}-#####`);
    }
  });

  it('is ready again, without its former pods, when it comes back', async () => {
    await kubectl('annotate node hollow-0 hollow.coxswain.dev/failed-');
    expect(await kubectl('wait node/hollow-0 --for=condition=Ready')).toBe('node/hollow-0 condition met');
    expect(await kubectl(`wait ${lost.join(' ')} --for=delete`)).not.toContain('error');
    await expect.poll(() => kubectl('get node hollow-0 -o jsonpath={.spec.taints}'), patience).toBe('');
    expect((await podsOn('hollow-1')).length).toBe(4);
    await kubectl('scale deployment/web --replicas=6');
    await kubectl('rollout status deployment/web');
    expect((await podsOn('hollow-0')).length).toBe(2);
  });
});

const patience = { timeout: 20_000, interval: 200 };
