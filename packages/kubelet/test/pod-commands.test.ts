import type { Container, EnvVar, Pod, PodSpec } from '@coxswain/api/core/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { containersOf } from './brief.ts';
import { podActions, web } from './pod-actions.ts';
import { TestNodes } from './test-nodes.ts';

let nodes: TestNodes;
beforeAll(async () => {
  nodes = await TestNodes.start([{ name: 'n1', allocatable: { cpu: '3500m' } }]);
});
afterAll(() => nodes.stop());

const { create, remove } = podActions(() => nodes);

const running = (command: readonly string[], more: Partial<Container> = {}): Container => ({
  ...web,
  command: [...command],
  ...more,
});
/** Creates a pod and returns it after its containers have ended that end at once. */
const createAndEnd = async (...args: Parameters<typeof create>): Promise<Pod> => {
  const { metadata } = await create(...args);
  await nodes.advance(1);
  return await nodes.pod(metadata.name!);
};
const sh = (script: string): Container => running(['/bin/sh', '-c', script]);

describe('a container whose command is known', () => {
  it('ends with the exit code of the command', async () => {
    const pod = await createAndEnd('succeeds', { restartPolicy: 'Never', containers: [running(['/bin/true'])] });
    expect(pod.status?.phase).toBe('Succeeded');
    expect(containersOf(pod)).toEqual(['web Completed 0']);
    const failed = await createAndEnd('fails', { restartPolicy: 'Never', containers: [sh('echo no && exit 3')] });
    expect(failed.status?.phase).toBe('Failed');
    expect(containersOf(failed)).toEqual(['web Error 3']);
  });

  it('runs as long as the command', async () => {
    const pod = await create('sleeps', { restartPolicy: 'OnFailure', containers: [running(['sleep', '300'])] });
    expect(containersOf(pod)).toEqual(['web running started ready']);
    await nodes.advance(299_999);
    expect((await nodes.pod('sleeps')).status?.phase).toBe('Running');
    await nodes.advance(1);
    expect((await nodes.pod('sleeps')).status?.phase).toBe('Succeeded');
  });

  it('is restarted with back-off in a pod that always restarts', async () => {
    await create('loops', { containers: [running(['/bin/false'])] });
    await nodes.advance(1000);
    expect(containersOf(await nodes.pod('loops'))).toEqual([
      expect.stringMatching(/^web waiting CrashLoopBackOff "back-off 10s .*" \(restarts 1, last Error 1\)$/),
    ]);
    await remove('loops');
  });

  it('behaves as annotations script it, which take precedence over its command', async () => {
    const spec: Partial<PodSpec> = { restartPolicy: 'Never', containers: [running(['/bin/false'])] };
    const pod = await create('scripted', spec, { 'run-for': '5s', 'exit-code': '7' });
    expect(containersOf(pod)).toEqual(['web running started ready']);
    await nodes.advance(5000);
    expect(containersOf(await nodes.pod('scripted'))).toEqual(['web Error 7']);
  });

  it('behaves as its command after the scripted number of runs', async () => {
    const spec: Partial<PodSpec> = { restartPolicy: 'OnFailure', containers: [running(['/bin/true'])] };
    await create('scripted-once', spec, { 'exit-code': '7', 'exit-times': '1' });
    await nodes.advance(11_000, 1000);
    expect(containersOf(await nodes.pod('scripted-once'))).toEqual(['web Completed 0 (restarts 1, last Error 7)']);
  });

  it('and fails keeps the pod from starting if it is an init container', async () => {
    const initContainers = [running(['/bin/true'], { name: 'one' }), running(['/bin/false'], { name: 'two' })];
    const pod = await createAndEnd('init-fails', { restartPolicy: 'Never', initContainers });
    expect(pod.status?.phase).toBe('Failed');
    expect(containersOf(pod)).toEqual(['one Completed 0 ready', 'two Error 1', 'web waiting PodInitializing']);
    await create('init-tries', { initContainers });
    await nodes.advance(1000, 500);
    const again = await nodes.pod('init-tries');
    expect(again.status?.phase).toBe('Pending');
    expect(containersOf(again)).toEqual([
      'one Completed 0 ready',
      expect.stringMatching(/^two waiting CrashLoopBackOff/),
      'web waiting PodInitializing',
    ]);
    await remove('init-tries');
  });

  it.each<[string, Container, string]>([
    ['sleeps', running(['sleep', '300']), 'Running'],
    ['pauses', { ...web, image: 'registry.k8s.io/pause:3.10.1' }, 'Running'],
    ['fails', sh('exit 1'), 'Failed'],
    ['computes', running(['perl', '-wle', 'print 3']), 'Succeeded'],
  ])('of a Job that %s does not succeed after a second by default', async (name, container, phase) => {
    const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'u', controller: true }];
    const spec: PodSpec = { restartPolicy: 'Never', containers: [container] };
    await nodes.createPod({ metadata: { name: `job-${name}`, ownerReferences }, spec });
    await nodes.advance(1000);
    expect((await nodes.pod(`job-${name}`)).status?.phase).toBe(phase);
  });

  it('may have a command with references to variables', async () => {
    const env = [
      { name: 'CODE', value: '4' },
      { name: 'SCRIPT', value: 'exit $(CODE)' },
    ];
    const containers = [{ ...web, env, command: ['sh', '-c'], args: ['$(SCRIPT)'] }];
    const pod = await createAndEnd('by-env', { restartPolicy: 'Never', containers });
    expect(containersOf(pod)).toEqual(['web Error 4']);
  });
});

describe('a probe that runs a command', () => {
  const readinessProbe = (command: string[], timeoutSeconds = 1) => ({ exec: { command }, timeoutSeconds });

  it('fails if the command fails', async () => {
    const pod = await create('unready', { containers: [{ ...web, readinessProbe: readinessProbe(['/bin/false']) }] });
    expect(containersOf(pod)).toEqual(['web running started']);
    await nodes.advance(60_000, 10_000);
    expect(containersOf(await nodes.pod('unready'))).toEqual(['web running started']);
    expect(await nodes.events('unready')).toContain('Warning Unhealthy: Readiness probe failed:  (x7)');
    await remove('unready');
  });

  it('and fails restarts a container if it is a liveness probe', async () => {
    const livenessProbe = { exec: { command: ['sh', '-c', 'exit 1'] }, failureThreshold: 1, initialDelaySeconds: 5 };
    await create('unhealthy', { containers: [{ ...web, livenessProbe }] });
    await nodes.advance(5000);
    expect(containersOf(await nodes.pod('unhealthy'))).toEqual([
      'web running started ready (restarts 1, last Completed 0)',
    ]);
    await remove('unhealthy');
  });

  it.each([
    ['succeeds', readinessProbe(['/bin/true'])],
    ['has an unknown outcome', readinessProbe(['cat', '/tmp/health'])],
    ['takes less time than its timeout', readinessProbe(['sleep', '5'], 6)],
  ])('that %s passes', async (_, probe) => {
    expect(containersOf(await create('passes', { containers: [{ ...web, readinessProbe: probe }] }))).toEqual([
      'web running started ready',
    ]);
    await remove('passes');
  });

  it('fails if the command takes longer than the timeout of the probe', async () => {
    const probe = readinessProbe(['sh', '-c', 'sleep $(TIME)'], 2);
    const containers = [{ ...web, env: [{ name: 'TIME', value: '10' }], readinessProbe: probe }];
    expect(containersOf(await create('too-slow', { containers }))).toEqual(['web running started']);
    expect(await nodes.events('too-slow')).toContain(
      'Warning Unhealthy: Readiness probe failed: command timed out: "sh -c sleep 10" timed out after 2s',
    );
    await remove('too-slow');
  });

  it('passes if annotations script that', async () => {
    const containers = [{ ...web, readinessProbe: readinessProbe(['/bin/false']) }];
    expect(containersOf(await create('said-ready', { containers }, { readiness: 'always' }))).toEqual([
      'web running started ready',
    ]);
  });
});

describe('a subPathExpr', () => {
  const volumes = [{ name: 'work', emptyDir: {} }];
  const field = (name: string, fieldPath: string): EnvVar => ({ name, valueFrom: { fieldRef: { fieldPath } } });
  const mounting = (subPathExpr: string, env: EnvVar[]): Partial<PodSpec> => ({
    volumes,
    containers: [{ ...web, env, volumeMounts: [{ name: 'work', mountPath: '/work', subPathExpr }] }],
  });

  it('keeps the container waiting until all of its variables have values', async () => {
    const env = [field('PATH_OF_POD', "metadata.annotations['path']"), { name: 'EMPTY' }, { name: 'NAME', value: 'n' }];
    const pod = await create('sub-path', mounting('$(PATH_OF_POD)/$(NAME)/$(NONE)/$(EMPTY)', env));
    expect(pod.status?.phase).toBe('Pending');
    expect(containersOf(pod)).toEqual([
      'web waiting CreateContainerConfigError "missing value for EMPTY, NONE, PATH_OF_POD"',
    ]);
    expect(await nodes.events('sub-path')).toContain(
      'Warning Failed: Error: missing value for EMPTY, NONE, PATH_OF_POD',
    );
    await remove('sub-path');

    await create('recovers', mounting('$(PATH_OF_POD)/$(NAME)', env));
    await nodes.advance(60_000, 10_000);
    const waiting = await nodes.pod('recovers');
    expect(waiting.status?.phase).toBe('Pending');
    expect(containersOf(waiting)).toEqual(['web waiting CreateContainerConfigError "missing value for PATH_OF_POD"']);
    const pods = nodes.clients.core.v1.pods('default');
    await pods.patch('recovers', 'strategic-merge', { metadata: { annotations: { path: 'mine' } } });
    await nodes.advance(1000);
    expect(containersOf(await nodes.pod('recovers'))).toEqual(['web running started ready']);
  });

  it.each([
    ['/tmp', 'error SubPath `/tmp` must not be an absolute path'],
    ['..', "unable to provision SubPath `..`: must not contain '..'"],
    ['a/../b', "unable to provision SubPath `a/../b`: must not contain '..'"],
  ])('must not result in %s', async (value, message) => {
    const pod = await create('bad-path', mounting('$(VALUE)', [{ name: 'VALUE', value }]));
    expect(pod.status?.phase).toBe('Pending');
    expect(containersOf(pod)).toEqual([`web waiting CreateContainerConfigError "${message}"`]);
    expect(await nodes.events('bad-path')).toContain(`Warning Failed: Error: ${message}`);
    await remove('bad-path');
  });

  it('may refer to fields, resources and Secrets', async () => {
    const env: EnvVar[] = [
      ...['metadata.name', 'metadata.uid', 'spec.nodeName', 'status.podIP', 'status.podIPs', 'status.hostIPs'].map(
        (path, i) => field(`F${i}`, path),
      ),
      { name: 'F6', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
      { name: 'F7', valueFrom: { secretKeyRef: { name: 'place', key: 'dir' } } },
    ];
    await nodes.clients.core.v1
      .secrets('default')
      .create({ metadata: { name: 'place' }, data: { dir: btoa('/secret') } });
    const all = Array.from({ length: 7 }, (_, i) => `$(F${i})`).join('-');
    const told = async (name: string, more: Partial<PodSpec> = {}): Promise<string | undefined> => {
      // The error message for an absolute path contains the path.
      const pod = await create(name, { ...mounting(`$(F7)-${all}`, env), ...more });
      const { uid } = pod.metadata;
      await remove(name);
      return pod.status?.containerStatuses?.[0]?.state?.waiting?.message?.replace(uid!, 'UID');
    };
    expect(await told('told')).toMatch(
      /`\/secret-told-UID-n1-(10\.64\.0\.\d+)-\1-172\.18\.0\.2-4` must not be an absolute path$/,
    );
    expect(await told('told-host', { hostNetwork: true })).toContain('-n1-172.18.0.2-172.18.0.2-172.18.0.2-4`');
  });
});

it('containers stop after stopDelayMs, so that a pod still exists right after its deletion', async () => {
  const slow = await TestNodes.start([{ name: 'n1' }], { stopDelayMs: 250 });
  try {
    const slowPods = podActions(() => slow);
    await slowPods.create('waits');
    await slowPods.create('hurries', {}, { 'stop-delay': '0s' });
    await slowPods.remove('hurries');
    await expect(slow.pod('hurries')).rejects.toThrow('not found');
    await slowPods.remove('waits');
    expect((await slow.pod('waits')).metadata).toMatchObject({ generation: 2, deletionGracePeriodSeconds: 30 });
    await slow.advance(250);
    await expect(slow.pod('waits')).rejects.toThrow('not found');
  } finally {
    await slow.stop();
  }
});
