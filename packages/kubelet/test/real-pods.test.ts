import { readFile, writeFile } from 'node:fs/promises';
import type { Pod } from '@coxswain/api/core/v1';
import { containerdProblem } from '@coxswain/cri/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RealNode, shell } from './real-node.ts';

const problem = await containerdProblem();
if (problem && process.env.COXSWAIN_REQUIRE_CONTAINERD) throw new Error(problem);
if (problem) console.warn(`SKIPPED: tests of real pods. ${problem}`);

const isRunning = (pod: Pod | undefined): boolean => pod?.status?.phase === 'Running';
const isReady = (pod: Pod | undefined): boolean =>
  pod?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
const hasSucceeded = (pod: Pod | undefined): boolean => pod?.status?.phase === 'Succeeded';

describe.skipIf(problem)('on a real node', () => {
  let node: RealNode;
  beforeAll(async () => {
    node = await RealNode.start('10.213.4.0/24');
  });
  afterAll(() => node?.close());
  afterEach(async () => {
    const { items } = await node.clients.core.v1.pods('default').list();
    await Promise.all(
      items.map(({ metadata }) =>
        node.clients.core.v1
          .pods('default')
          .delete(metadata.name!)
          .catch(() => undefined),
      ),
    );
    await node.untilNothingIsLeft();
  });

  const once = (script: string) => ({ restartPolicy: 'Never' as const, containers: [shell('main', script)] });

  it('containers see the volumes of their pod', async () => {
    const { core } = node.clients;
    await core.v1.configMaps('default').create({ metadata: { name: 'settings' }, data: { color: 'blue' } });
    await core.v1.secrets('default').create({ metadata: { name: 'key' }, stringData: { token: 'hush' } });
    const main = {
      ...shell(
        'main',
        'exec 2>&1; cat /settings/color /key/token /info/name && echo more > /shared/file && cat /shared/file && touch /settings/x',
      ),
      volumeMounts: [
        { name: 'settings', mountPath: '/settings' },
        { name: 'key', mountPath: '/key' },
        { name: 'info', mountPath: '/info' },
        { name: 'shared', mountPath: '/shared' },
      ],
    };
    await node.create('volumes', {
      restartPolicy: 'Never',
      containers: [main],
      volumes: [
        { name: 'settings', configMap: { name: 'settings' } },
        { name: 'key', secret: { secretName: 'key' } },
        { name: 'info', downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
        { name: 'shared', emptyDir: { medium: 'Memory' } },
      ],
    });
    const ended = await node.until('volumes', (pod) => pod?.status?.phase === 'Failed');
    expect(await node.logs('volumes')).toBe('bluehushvolumesmore\ntouch: /settings/x: Read-only file system\n');
    expect(ended?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(1);
  });

  it('init containers and sidecars start in order', async () => {
    const mounts = { volumeMounts: [{ name: 'shared', mountPath: '/shared' }] };
    const say = (text: string): string => `echo ${text} >> /shared/log`;
    await node.create('ordered', {
      restartPolicy: 'Never',
      initContainers: [
        { ...shell('first', say('first')), ...mounts },
        {
          ...shell('sidecar', `${say('sidecar')}; trap 'exit 0' TERM; while :; do sleep 0.1; done`),
          ...mounts,
          restartPolicy: 'Always',
          startupProbe: { exec: { command: ['grep', 'sidecar', '/shared/log'] }, periodSeconds: 1 },
        },
        { ...shell('second', say('second')), ...mounts },
      ],
      containers: [{ ...shell('main', 'cat /shared/log'), ...mounts }],
      volumes: [{ name: 'shared', emptyDir: {} }],
    });
    const pod = await node.until('ordered', hasSucceeded);
    expect(await node.logs('ordered')).toBe('first\nsidecar\nsecond\n');
    expect(pod?.status?.initContainerStatuses?.map(({ name, restartCount }) => `${name} ${restartCount}`)).toEqual([
      'first 0',
      'sidecar 0',
      'second 0',
    ]);
  });

  it('a container whose liveness probe fails is restarted', async () => {
    const container = {
      ...shell('main', 'touch /tmp/alive; sleep 2; rm /tmp/alive; exec sleep 1000'),
      livenessProbe: { exec: { command: ['cat', '/tmp/alive'] }, periodSeconds: 1, failureThreshold: 1 },
    };
    await node.create('probed', { containers: [container] });
    await node.until('probed', (pod) => (pod?.status?.containerStatuses?.[0]?.restartCount ?? 0) > 0);
    const events = await node.events('probed');
    expect(events).toContain(
      "Warning Unhealthy: Liveness probe failed: cat: can't open '/tmp/alive': No such file or directory\n",
    );
    expect(events).toContain('Normal Killing: Container main failed liveness probe, will be restarted');
  });

  it('a pod is ready while its readiness probe passes', async () => {
    const container = {
      ...shell('main', 'mkdir /www; touch /www/ok; exec httpd -f -p 8080 -h /www'),
      readinessProbe: { httpGet: { path: '/ok', port: 8080 }, periodSeconds: 1, failureThreshold: 1 },
    };
    const created = await node.create('served', { containers: [container] });
    const ready = await node.until('served', isReady);
    const containerId = ready!.status!.containerStatuses![0]!.containerID!.replace('containerd://', '');
    await node.kubelet.runtime.service.execSync({ containerId, cmd: ['rm', '/www/ok'], timeout: 5 });
    await node.until('served', (pod) => isRunning(pod) && !isReady(pod));
    expect(await node.events('served')).toContain(
      'Warning Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 404',
    );
    expect(created.metadata.uid).toBe(ready?.metadata.uid);
  });

  it('containers have the environment, hosts file and resolver configuration of their pod', async () => {
    const container = {
      ...shell('main', 'hostname; cat /etc/resolv.conf; grep -c "$IP" /etc/hosts; echo $FROM; id -u; pwd'),
      workingDir: '/tmp',
      env: [
        { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
        { name: 'FROM', value: 'IP of $(NAME)' },
      ],
      securityContext: { runAsUser: 65534 },
    };
    await node.create('known', { restartPolicy: 'Never', containers: [container] });
    await node.until('known', hasSucceeded);
    const searches = 'default.svc.cluster.local svc.cluster.local cluster.local example.com';
    expect(await node.logs('known')).toBe(
      `known\nsearch ${searches}\nnameserver 10.96.0.10\noptions ndots:5\n1\nIP of $(NAME)\n65534\n/tmp\n`,
    );
  });

  it('hooks run when a container starts and before it stops', async () => {
    const host = `${node.directory}/hooks`;
    await writeFile(host, '');
    const say = (text: string) => ({ exec: { command: ['sh', '-c', `echo ${text} >> /hooks`] } });
    const container = {
      ...shell('main', "trap 'exit 0' TERM; while :; do sleep 0.1; done"),
      lifecycle: { postStart: say('started'), preStop: say('stopping') },
      volumeMounts: [{ name: 'hooks', mountPath: '/hooks' }],
    };
    await node.create('hooked', {
      terminationGracePeriodSeconds: 10,
      containers: [container],
      volumes: [{ name: 'hooks', hostPath: { path: host, type: 'File' } }],
    });
    await node.until('hooked', isRunning);
    await node.clients.core.v1.pods('default').delete('hooked');
    await node.until('hooked', (pod) => pod === undefined);
    expect(await readFile(host, 'utf8')).toBe('started\nstopping\n');
  });

  it('a restarted kubelet restarts no containers, and completes what the old one began', async () => {
    await node.create('kept', { containers: [shell('main', 'exec sleep 1000')] });
    const before = await node.until('kept', isReady);
    await node.create('going', { ...once('sleep 3; echo done'), terminationGracePeriodSeconds: 30 });
    await node.until('going', isRunning);
    await node.stopKubelet();
    await node.clients.core.v1.pods('default').create({
      metadata: { name: 'later' },
      spec: { nodeName: 'real', ...once('echo later') },
    });
    await node.startKubelet();
    await node.until('later', hasSucceeded);
    await node.until('going', hasSucceeded);
    expect(await node.logs('going')).toBe('done\n');
    const after = await node.until('kept', isReady);
    expect(after?.status?.containerStatuses).toEqual(before?.status?.containerStatuses);
  });
});
