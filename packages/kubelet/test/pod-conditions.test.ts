import type { Container, Pod, PodSpec } from '@coxswain/api/core/v1';
import { newInternalError } from '@coxswain/apimachinery/errors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { conditionsOf, containersOf } from './brief.ts';
import { annotationsOf, image, podActions, web } from './pod-actions.ts';
import { TestNodes } from './test-nodes.ts';

let nodes: TestNodes;
beforeAll(async () => {
  nodes = await TestNodes.start();
});
afterAll(() => nodes.stop());

const { create, remove } = podActions(() => nodes);

describe('a ConfigMap that a pod refers to', () => {
  it('must exist before containers with variables from it are created', async () => {
    const env = [{ name: 'LEVEL', valueFrom: { configMapKeyRef: { name: 'settings', key: 'level' } } }];
    const pod = await create('env', { containers: [{ ...web, env }] });
    expect(containersOf(pod)).toEqual(['web waiting CreateContainerConfigError "configmap "settings" not found"']);
    expect(await nodes.events('env')).toContain('Warning Failed: Error: configmap "settings" not found');
    const maps = nodes.clients.core.v1.configMaps('default');
    await maps.create({ metadata: { name: 'settings' }, data: {} });
    await nodes.advance(10_000);
    expect(containersOf(await nodes.pod('env'))[0]).toContain("couldn't find key level in ConfigMap default/settings");
    await maps.update({ metadata: { name: 'settings' }, data: { level: 'high' } });
    await nodes.advance(70_000, 10_000);
    expect(containersOf(await nodes.pod('env'))).toEqual(['web running started ready']);
  });

  it('must exist before it is mounted', async () => {
    const volumes = [
      { name: 'config', configMap: { name: 'files' } },
      { name: 'maybe', secret: { secretName: 'none', optional: true } },
    ];
    const pod = await create('mount', { volumes });
    expect(containersOf(pod)).toEqual(['web waiting ContainerCreating']);
    await nodes.advance(1500, 500);
    expect(await nodes.events('mount')).toEqual([
      'Warning FailedMount: MountVolume.SetUp failed for volume "config" : configmap "files" not found (x3)',
    ]);
    await nodes.clients.core.v1.configMaps('default').create({ metadata: { name: 'files' } });
    await nodes.advance(2000);
    expect(containersOf(await nodes.pod('mount'))).toEqual(['web running started ready']);
  });
});

it('a container with runAsNonRoot and user 0 is not created', async () => {
  const securityContext = { runAsNonRoot: true, runAsUser: 0 };
  const pod = await create('as-root', { securityContext });
  const why = `container's runAsUser breaks non-root policy (pod: "as-root_default(${pod.metadata.uid})", container: web)`;
  expect(containersOf(pod)).toEqual([`web waiting CreateContainerConfigError "${why}"`]);
  expect(await nodes.events('as-root')).toContain(`Warning Failed: Error: ${why}`);
  await remove('as-root');
});

it('missing pull secrets cause an event, and the pod runs nevertheless', async () => {
  const imagePullSecrets = [{ name: 'registry' }, { name: 'mirror' }];
  const pod = await create('pull-secrets', { imagePullSecrets });
  expect(containersOf(pod)).toEqual(['web running started ready']);
  expect(await nodes.events('pull-secrets')).toContainEqual(
    expect.stringMatching(
      /^Warning FailedToRetrieveImagePullSecret: Unable to retrieve some image pull secrets \(registry, mirror\); attempting to pull the image may not succeed\./,
    ),
  );
  await remove('pull-secrets');
});

describe('probes', () => {
  it('for readiness make a pod ready', async () => {
    const readinessProbe = { httpGet: { port: 80 }, periodSeconds: 5, initialDelaySeconds: 2 };
    const pod = await create('readiness', { containers: [{ ...web, readinessProbe }] }, { readiness: 'after 4s' });
    expect(containersOf(pod)).toEqual(['web running started']);
    await nodes.advance(2000);
    expect(await nodes.events('readiness')).toContain(
      "Warning Unhealthy: Readiness probe failed: scripted by the pod's annotations",
    );
    await nodes.advance(5000, 1000);
    const ready = await nodes.pod('readiness');
    expect(containersOf(ready)).toEqual(['web running started ready']);
    expect(ready.status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime).not.toBe(
      ready.status?.startTime,
    );
    // A probe that always passes from now on is not run again.
    expect(nodes.clock.nextInMs).toBeGreaterThan(0);
  });

  it('with a named port that the container does not have fail with an error', async () => {
    const readinessProbe = { httpGet: { port: 'htttp' }, periodSeconds: 5 };
    const ports = [{ name: 'http', containerPort: 80 }];
    const pod = await create('bad-port', { containers: [{ ...web, ports, readinessProbe }] });
    expect(containersOf(pod)).toEqual(['web running started']);
    await nodes.advance(5000);
    const why = 'strconv.Atoi: parsing "htttp": invalid syntax';
    expect(await nodes.events('bad-port')).toContain(
      `Warning Unhealthy: Readiness probe errored and resulted in unknown state: ${why} (x2)`,
    );
    await remove('bad-port');
  });

  it('can be scripted for pods that have none', async () => {
    await create('flap', {}, { readiness: 'flapping 3s' });
    const seen: boolean[] = [];
    for (let i = 0; i < 4; i++) {
      seen.push(containersOf(await nodes.pod('flap'))[0]!.includes(' ready'));
      await nodes.advance(3000, 1000);
    }
    expect(seen).toEqual([true, false, true, false]);
    await remove('flap');
  });

  it('for readiness also run while the pod is terminating', async () => {
    await create('leaving', {}, { readiness: 'flapping 3s', 'stop-delay': '20s' });
    await nodes.clients.core.v1.pods('default').delete('leaving', { gracePeriodSeconds: 30 });
    await nodes.advance(2000, 1000);
    expect(containersOf(await nodes.pod('leaving'))).toEqual(['web running started ready']);
    await nodes.advance(2000, 1000);
    const pod = await nodes.pod('leaving');
    expect(containersOf(pod)).toEqual(['web running started']);
    expect(pod.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('False');
    await nodes.advance(20_000, 1000);
  });

  it('follow changes of the pod’s annotations', async () => {
    await create('annotated');
    const annotate = async (readiness: string): Promise<void> => {
      const patch = { metadata: { annotations: annotationsOf({ readiness }) } };
      await nodes.clients.core.v1.pods('default').patch('annotated', 'merge', patch);
      await nodes.settle();
    };
    await annotate('never');
    expect(containersOf(await nodes.pod('annotated'))).toEqual(['web running started']);
    await annotate('always');
    await nodes.advance(1000);
    expect(containersOf(await nodes.pod('annotated'))).toEqual(['web running started ready']);
  });

  it('for liveness restart a container when they fail', async () => {
    const livenessProbe = { exec: { command: ['check'] }, periodSeconds: 2, failureThreshold: 2 };
    await create('liveness', { containers: [{ ...web, livenessProbe }] }, { liveness: 'until 5s' });
    await nodes.advance(8000, 1000);
    expect(containersOf(await nodes.pod('liveness'))).toEqual([
      'web running started ready (restarts 1, last Completed 0)',
    ]);
    expect(await nodes.events('liveness')).toEqual(
      expect.arrayContaining([
        "Warning Unhealthy: Liveness probe failed: scripted by the pod's annotations (x2)",
        'Killing: Container web failed liveness probe, will be restarted',
      ]),
    );
    await remove('liveness');
  });

  it('for readiness wait until the startup probe has passed', async () => {
    const containers: Container[] = [
      {
        ...web,
        startupProbe: { tcpSocket: { port: 1 }, periodSeconds: 1 },
        readinessProbe: { tcpSocket: { port: 1 } },
      },
    ];
    await create('startup', { containers }, { startup: 'after 2s', readiness: 'always' });
    expect(containersOf(await nodes.pod('startup'))).toEqual(['web running']);
    await nodes.advance(2000, 1000);
    expect(containersOf(await nodes.pod('startup'))).toEqual(['web running started ready']);
  });

  it('do not make a pod ready before its readiness gates are True', async () => {
    const pod = await create('gates', { readinessGates: [{ conditionType: 'example.com/lb' }] });
    expect(conditionsOf(pod)).toContain(
      'Ready=False ReadinessGatesNotReady: corresponding condition of pod readiness gate "example.com/lb" does not exist.',
    );
    const pods = nodes.clients.core.v1.pods('default');
    const open = async (status: string): Promise<string[]> => {
      const conditions = [{ type: 'example.com/lb', status }];
      await pods.patch('gates', 'strategic-merge', { status: { conditions } }, { subresource: 'status' });
      await nodes.settle();
      return conditionsOf(await nodes.pod('gates'));
    };
    expect(await open('False')).toContain(
      'Ready=False ReadinessGatesNotReady: the status of pod readiness gate "example.com/lb" is not "True", but False',
    );
    expect(await open('True')).toEqual(expect.arrayContaining(['Ready', 'example.com/lb']));
  });
});

describe('a pod that is deleted', () => {
  it('has a grace period, which a second deletion can shorten', async () => {
    await create('grace', { terminationGracePeriodSeconds: 60 }, { 'stop-delay': 'forever' });
    await remove('grace');
    await nodes.advance(10_000);
    expect(containersOf(await nodes.pod('grace'))).toEqual(['web running started ready']);
    await remove('grace', 5);
    await nodes.advance(5000);
    await expect(nodes.pod('grace')).rejects.toThrow('not found');
  });

  it('is killed when its grace period has elapsed', async () => {
    const watch = await nodes.clients.core.v1.pods('default').watch({ fieldSelector: 'metadata.name=killed' });
    await create('killed', { terminationGracePeriodSeconds: 4 }, { 'stop-delay': '1m' });
    await remove('killed');
    await nodes.advance(4000);
    let last: Pod | undefined;
    for await (const event of watch) {
      if (event.type === 'MODIFIED' || event.type === 'DELETED') last = event.object;
      if (event.type === 'DELETED') break;
    }
    expect(containersOf(last!)).toEqual(['web Error 137']);
    expect(last?.status?.phase).toBe('Failed');
  });

  it('runs its preStop hooks first', async () => {
    const lifecycle = { preStop: { sleep: { seconds: 3 } } };
    await create('hook', { containers: [{ ...web, lifecycle }] });
    await remove('hook');
    await nodes.advance(2000);
    expect(containersOf(await nodes.pod('hook'))).toEqual(['web running started ready']);
    await nodes.advance(1000);
    await expect(nodes.pod('hook')).rejects.toThrow('not found');
  });

  it('goes away even if it never started', async () => {
    await create('stuck', { volumes: [{ name: 'v', secret: { secretName: 'none' } }] });
    await remove('stuck');
    await expect(nodes.pod('stuck')).rejects.toThrow('not found');
  });

  it('with grace period 0 still has its containers stopped', async () => {
    await create('forced');
    await remove('forced', 0);
    await expect(nodes.pod('forced')).rejects.toThrow('not found');
    expect(await nodes.events('forced')).toContain('Killing: Stopping container web');
    expect((await nodes.fleet.kubelets[0]!.runtime.listPods()).map(({ name }) => name)).not.toContain('forced');
  });
});

describe('a hook', () => {
  it('of kind postStart that fails restarts the container', async () => {
    const lifecycle = { postStart: { exec: { command: ['register'] } } };
    await create('post-start', { containers: [{ ...web, lifecycle }] }, { 'post-start': 'fail' });
    const pod = await nodes.pod('post-start');
    expect(containersOf(pod)[0]).toMatch(/^web waiting (PostStartHookError|CrashLoopBackOff)/);
    expect(await nodes.events('post-start')).toEqual(
      expect.arrayContaining([
        'Warning FailedPostStartHook: PostStartHook failed (x2)',
        'Killing: FailedPostStartHook (x2)',
      ]),
    );
    await remove('post-start');
  });
});

describe('the node', () => {
  it('terminates a pod that exceeds its activeDeadlineSeconds', async () => {
    await create('deadline', { activeDeadlineSeconds: 30 });
    await nodes.advance(30_000);
    const pod = await nodes.pod('deadline');
    expect(pod.status).toMatchObject({
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    });
    expect(containersOf(pod)).toEqual(['web Completed 0']);
    expect(await nodes.events('deadline')).toContain(
      'DeadlineExceeded: Pod was active on the node longer than the specified deadline',
    );
  });

  it.each<[string, Partial<PodSpec>, string, string]>([
    [
      'more CPU than the node has',
      { containers: [{ ...web, resources: { requests: { cpu: '5' } } }] },
      'OutOfcpu',
      "Node didn't have enough resource: cpu, requested: 5000, used: 0, capacity: 4000",
    ],
    [
      'another node',
      { nodeSelector: { disk: 'ssd' } },
      'NodeAffinity',
      "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    ],
    [
      'a host port that is in use',
      { containers: [{ ...web, ports: [{ containerPort: 80, hostPort: 8080 }] }] },
      'NodePorts',
      "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
    ],
  ])('rejects a pod that requires %s', async (_, spec, reason, message) => {
    if (reason === 'NodePorts') await create('has-port', spec);
    const name = reason.toLowerCase();
    const pod = await create(name, spec);
    expect(pod.status).toMatchObject({ phase: 'Failed', reason, message: `Pod was rejected: ${message}` });
    expect(pod.status?.containerStatuses).toBeUndefined();
    expect(await nodes.events(name)).toEqual([`Warning ${reason}: ${message}`]);
    await remove(name);
    await expect(nodes.pod(name)).rejects.toThrow('not found');
  });

  it('starts ephemeral containers in running pods', async () => {
    await create('debugged');
    const pods = nodes.clients.core.v1.pods('default');
    const ephemeralContainers = [{ name: 'debug', image }];
    await pods.patchEphemeralContainers('debugged', 'strategic-merge', { spec: { ephemeralContainers } });
    await nodes.settle();
    expect(containersOf(await nodes.pod('debugged'))).toEqual(['web running started ready', 'debug running']);
  });

  it('records events about invalid annotations', async () => {
    await create('nonsense', {}, { 'run-for': 'soon', 'db.logs': 'x', colour: 'red' });
    const events = await nodes.events('nonsense');
    expect(events.filter((event) => event.startsWith('Warning'))).toEqual([
      'Warning InvalidAnnotation: hollow.coxswain.dev/run-for: "soon" is not valid: time: invalid duration "soon"',
      'Warning InvalidAnnotation: hollow.coxswain.dev/db.logs: the pod has no such container',
      expect.stringMatching(
        /InvalidAnnotation: hollow.coxswain.dev\/colour: there is no such option; known are run-for/,
      ),
    ]);
  });

  it('overwrites status fields that another client has changed', async () => {
    await create('tampered');
    const pods = nodes.clients.core.v1.pods('default');
    const conditions = [{ type: 'Ready', status: 'False', reason: 'BecauseISaySo' }];
    await pods.patch(
      'tampered',
      'strategic-merge',
      { status: { podIP: '1.2.3.4', conditions } },
      { subresource: 'status' },
    );
    await nodes.settle();
    const pod = await nodes.pod('tampered');
    expect(conditionsOf(pod)).toContain('Ready');
    expect(pod.status?.podIP).toMatch(/^10\.64/);
  });

  it('retries writing a status after an error of the API server', async () => {
    let failures = 3;
    nodes.spy.plan = (request) => {
      if (request.includes('/pods/unlucky') && failures-- > 0) throw newInternalError(new Error('injected'));
    };
    await create('unlucky');
    expect((await nodes.pod('unlucky')).status?.phase).toBe('Pending');
    await nodes.advance(8000, 1000);
    expect((await nodes.pod('unlucky')).status?.phase).toBe('Running');
    nodes.spy.plan = () => {};
    nodes.forgetLog();
  });

  it('does not write the status of a pod to another that has taken its name', async () => {
    const pods = nodes.clients.core.v1.pods('default');
    let isReplaced = false;
    nodes.spy.plan = async (request) => {
      if (isReplaced || !request.endsWith('/pods/renewed/status')) return;
      isReplaced = true;
      const { spec } = await pods.get('renewed');
      await pods.delete('renewed', { gracePeriodSeconds: 0 });
      await pods.create({ metadata: { name: 'renewed' }, spec: spec! });
    };
    await create('renewed');
    expect(isReplaced).toBe(true);
    expect((await nodes.pod('renewed')).status?.phase).toBe('Running');
    expect(nodes.log).toEqual([]);
    nodes.spy.plan = () => {};
  });

  it('restarts or fails its pods when it returns without its containers, as after a reboot', async () => {
    const containers = [{ ...web, resources: { requests: { cpu: '1m' } } }];
    await create('kept', { containers });
    await create('once', { restartPolicy: 'Never' });
    await create('done', { restartPolicy: 'Never' }, { 'exit-code': '0' });
    await nodes.advance(1);
    const done = await nodes.pod('done');
    await nodes.stopNodes();
    await nodes.startNodes();
    await nodes.advance(1000);
    const unknown =
      'ContainerStatusUnknown 137 "The container could not be located when the pod was deleted.  The container used to be Running"';
    expect(containersOf(await nodes.pod('kept'))).toEqual([`web running started ready (restarts 1, last ${unknown})`]);
    const once = await nodes.pod('once');
    expect(once.status?.phase).toBe('Failed');
    expect(await nodes.pod('done')).toEqual(done);
    expect(await nodes.events('n1')).toContainEqual(
      expect.stringMatching(/^Warning Rebooted: Node n1 has been rebooted, boot id: /),
    );
    expect(nodes.log).toEqual([]);
  });
});
