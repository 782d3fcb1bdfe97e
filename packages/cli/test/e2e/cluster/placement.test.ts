import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBinary } from '../binaries.ts';
import type { Shell } from '../shell.ts';
import { CoxUp } from './cox-up.ts';
import { events } from './events.ts';

const patience = { timeout: 30_000, interval: 200 };
const notHelpful =
  'no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.';

/* Run one after the other, because they use the same two nodes. */

describe.skipIf(!findBinary('kubectl'))('nodes of cox up', () => {
  let cluster: CoxUp;
  let shell: Shell;
  const kubectl = (command: string) => shell.run(`kubectl ${command}`);
  const apply = (manifest: string) => kubectl(`apply -f - <<'E'\n${manifest}\nE`);
  const nodeOf = (pod: string) => kubectl(`get pod ${pod} -o jsonpath='{.spec.nodeName}'`);

  beforeAll(async () => {
    cluster = await CoxUp.start();
    shell = cluster.shell;
  }, 120_000);
  afterAll(() => cluster?.stop(), 60_000);

  it('are listed and described', async () => {
    expect(await kubectl('get nodes -o wide')).toBe(
      [
        'NAME   STATUS   ROLES   AGE   VERSION   INTERNAL-IP   EXTERNAL-IP   OS-IMAGE   KERNEL-VERSION   CONTAINER-RUNTIME',
        ...[0, 1].map(
          (i) =>
            `hollow-${i}   Ready   <none>   <age>   v1.36.4   172.18.0.${i + 2}   <none>   Hollow   hollow (amd64)   hollow://1.0.0`,
        ),
      ].join('\n'),
    );
    const described = await kubectl('describe node hollow-0');
    for (const part of [
      /^Taints: +<none>$/m,
      /^Unschedulable: +false$/m,
      /^ {2}HolderIdentity: +hollow-0$/m,
      /^ {2}Ready +True +<time> +<time> +KubeletReady +kubelet is posting ready status$/m,
      /^ {2}MemoryPressure +False +<time> +<time> +KubeletHasSufficientMemory +kubelet has sufficient memory available$/m,
      /^Allocatable:\n {2}cpu: +4\n/m,
      /^PodCIDR: +10\.244\.\d+\.0\/24$/m,
    ]) {
      expect(described).toMatch(part);
    }
    await expect
      .poll(() => events(shell, 'default', 'Node/hollow-0'), patience)
      .toEqual(
        expect.arrayContaining([
          'Normal Starting: Starting kubelet.',
          'Normal NodeHasSufficientMemory: Node hollow-0 status is now: NodeHasSufficientMemory',
          'Normal RegisteredNode: Node hollow-0 event: Registered Node hollow-0 in Controller',
        ]),
      );
  });

  it('have pods that are listed and described, that have logs but run no commands', async () => {
    await apply(`
apiVersion: v1
kind: Pod
metadata: {name: talks, annotations: {hollow.coxswain.dev/logs: "one\\ntwo\\n"}}
spec: {containers: [{name: talks, image: 'web:1', resources: {requests: {cpu: 100m}}}]}`);
    expect(await kubectl('wait pod/talks --for=condition=Ready')).toBe('pod/talks condition met');
    const node = await nodeOf('talks');
    expect(await kubectl('get pod talks -o wide --no-headers')).toMatch(
      new RegExp(`^talks {3}1/1 {3}Running {3}0 {3}<age> {3}10\\.244\\.\\d\\.\\d+ {3}${node} {3}<none> {3}<none>$`),
    );
    await expect
      .poll(() => events(shell, 'default', 'Pod/talks').then((lines) => lines.map(withoutDuration)), patience)
      .toEqual([
        `Normal Scheduled: Successfully assigned default/talks to ${node}`,
        'Normal Pulling: Pulling image "web:1"',
        'Normal Pulled: Successfully pulled image "web:1" in <time> (<time> including waiting). Image size: 1000000 bytes.',
        'Normal Created: Container created',
        'Normal Started: Container started',
      ]);
    const described = await kubectl('describe pod talks');
    for (const part of [
      /^Status: +Running$/m,
      /^ {4}Container ID: +hollow:\/\/[0-9a-f]{64}$/m,
      /^ {4}State: +Running\n {6}Started: +<time>$/m,
      /^ {2}ContainersReady +True$/m,
      /^QoS Class: +Burstable$/m,
      /^ {2}Normal +Started +<age> +kubelet +spec\.containers\{talks\}: Container started$/m,
    ]) {
      expect(described).toMatch(part);
    }
    expect(await kubectl(`describe node ${node}`)).toMatch(/^ {2}default +talks +100m \(2%\) +0 \(0%\)/m);

    expect(await kubectl('logs talks')).toBe('one\ntwo');
    expect(await kubectl('logs talks --tail=1')).toBe('two');
    expect(await kubectl('logs talks -c other')).toContain('container other is not valid for pod talks');
    expect(await kubectl('exec talks -- ls')).toContain(
      'this node is hollow: its containers are not really there, and no command can run in them',
    );
    expect(await kubectl(`get --raw /api/v1/nodes/${node}/proxy/runningpods/`)).toContain('"name":"talks"');
    expect(await kubectl('delete pod talks')).toContain('pod "talks" deleted');
  });

  it('take no pods while they are cordoned', async () => {
    expect(await kubectl('cordon hollow-0 hollow-1')).toBe('node/hollow-0 cordoned\nnode/hollow-1 cordoned');
    expect(await kubectl('get nodes --no-headers')).toMatch(
      /^hollow-0 {3}Ready,SchedulingDisabled {3}.*\nhollow-1 {3}Ready,SchedulingDisabled {3}/,
    );
    await kubectl('run waits --image=web:1');
    await kubectl(`wait pod/waits --for=jsonpath='{.status.conditions[0].reason}'=Unschedulable`);
    const message = `0/2 nodes are available: 2 node(s) were unschedulable. ${notHelpful}`;
    expect(await kubectl(`get pod waits -o jsonpath='{.status.phase}: {.status.conditions[0].message}'`)).toBe(
      `Pending: ${message}`,
    );
    await expect
      .poll(() => events(shell, 'default', 'Pod/waits'), patience)
      .toEqual([`Warning FailedScheduling: ${message}`]);

    expect(await kubectl('uncordon hollow-0')).toBe('node/hollow-0 uncordoned');
    expect(await kubectl('wait pod/waits --for=condition=Ready')).toBe('pod/waits condition met');
    await expect
      .poll(() => events(shell, 'default', 'Pod/waits'), patience)
      .toContain('Normal Scheduled: Successfully assigned default/waits to hollow-0');
    await kubectl('uncordon hollow-1');
    await kubectl('delete pod waits');
  });

  it('get the pods that select them, and those that tolerate their taints', async () => {
    await kubectl('label node hollow-1 disk=ssd');
    await kubectl('taint node hollow-0 role=db:NoSchedule');
    await apply(`
apiVersion: v1
kind: Pod
metadata: {name: picky}
spec: {nodeSelector: {disk: ssd}, containers: [{name: c, image: c}]}
---
apiVersion: v1
kind: Pod
metadata: {name: plain}
spec: {containers: [{name: c, image: c}]}
---
apiVersion: v1
kind: Pod
metadata: {name: tolerant, labels: {app: db}}
spec:
  tolerations: [{key: role, value: db}]
  affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: disk, labelSelector: {}}]}}
  containers: [{name: c, image: c}]
---
apiVersion: v1
kind: Pod
metadata: {name: impossible}
spec: {nodeSelector: {disk: tape}, containers: [{name: c, image: c}]}
---
apiVersion: v1
kind: Pod
metadata: {name: large}
spec: {containers: [{name: c, image: c, resources: {requests: {cpu: 5}}}]}`);
    await kubectl('wait pod/picky pod/plain pod/tolerant --for=condition=Ready');
    expect([await nodeOf('picky'), await nodeOf('plain'), await nodeOf('tolerant')]).toEqual([
      'hollow-1',
      'hollow-1',
      'hollow-0',
    ]);
    const refused = (reasons: string) =>
      `Warning FailedScheduling: 0/2 nodes are available: ${reasons}, 1 node(s) had untolerated taint(s). ${notHelpful}`;
    await expect
      .poll(() => events(shell, 'default', 'Pod/impossible'), patience)
      .toContain(refused(`1 node(s) didn't match Pod's node affinity/selector`));
    await expect.poll(() => events(shell, 'default', 'Pod/large'), patience).toContain(refused('1 Insufficient cpu'));

    // An unschedulable pod is bound as soon as a node fits.
    await kubectl('label node hollow-1 disk=tape --overwrite');
    expect(await kubectl('wait pod/impossible --for=condition=Ready')).toBe('pod/impossible condition met');
    // Pods that do not tolerate the taint are evicted.
    await kubectl('taint node hollow-1 maintenance=now:NoExecute');
    expect(await kubectl('wait pod/plain pod/impossible --for=delete')).not.toContain('error');
    await expect
      .poll(() => events(shell, 'default', 'Pod/plain'), patience)
      .toContain('Normal TaintManagerEviction: Marking for deletion Pod default/plain');
    await kubectl('taint node hollow-1 maintenance-');
    await kubectl('taint node hollow-0 role-');
    await kubectl('delete pods --all');
  });

  it('are drained, as far as disruption budgets allow', async () => {
    await kubectl('create deployment web --image=web:1 --replicas=2');
    await kubectl('rollout status deployment/web');
    const [node] = (await kubectl(`get pods -l app=web -o jsonpath='{.items[*].spec.nodeName}'`)).split(' ');
    const pod = await kubectl(
      `get pods -l app=web --field-selector spec.nodeName=${node} -o jsonpath='{.items[0].metadata.name}'`,
    );
    await kubectl('create poddisruptionbudget web --selector=app=web --min-available=2');
    await kubectl(`wait pdb/web --for=jsonpath='{.status.currentHealthy}'=2`);
    await kubectl(`run alone --image=web:1 --overrides='{"spec":{"nodeName":"${node}"}}'`);
    expect(await kubectl(`drain ${node} --timeout=1s`)).toContain(
      'cannot delete Pods that declare no controller (use --force to override): default/alone',
    );
    await kubectl('delete pod alone');

    const refused = await kubectl(`drain ${node} --timeout=2s`);
    expect(refused).toContain(`evicting pod default/${pod}`);
    expect(refused).toContain(
      `error when evicting pods/"${pod}" -n "default" (will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget.`,
    );
    expect(refused).toContain('global timeout reached: 2s');
    expect(refused).toContain('[exit 1]');
    expect(await kubectl('get pdb web --no-headers')).toBe('web   2   N/A   0   <age>');

    await kubectl(`patch pdb web -p '{"spec":{"minAvailable":1}}'`);
    await kubectl(`wait pdb/web --for=jsonpath='{.status.disruptionsAllowed}'=1`);
    const drained = await kubectl(`drain ${node} --timeout=30s`);
    expect(drained).toContain(`pod/${pod} evicted`);
    expect(drained).toContain(`node/${node} drained`);
    expect(await kubectl('rollout status deployment/web')).toContain('successfully rolled out');
    expect(await kubectl(`get pods -l app=web --field-selector spec.nodeName=${node} -o name`)).toBe('');
    expect(await events(shell, 'default', `Pod/${pod}`)).toContain('Normal Killing: Stopping container web');
    expect(await kubectl(`uncordon ${node}`)).toBe(`node/${node} uncordoned`);
  });
});

const withoutDuration = (line: string): string => line.replaceAll(/\b[\d.]+m?s\b/g, '<time>');
