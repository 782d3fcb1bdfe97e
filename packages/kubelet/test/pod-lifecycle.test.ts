import type { Container, PodSpec } from '@coxswain/api/core/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { conditionsOf, containersOf } from './brief.ts';
import { image, podActions, web } from './pod-actions.ts';
import { TestNodes } from './test-nodes.ts';

let nodes: TestNodes;
beforeAll(async () => {
  nodes = await TestNodes.start();
});
afterAll(() => nodes.stop());

const { create, remove, writesOf } = podActions(() => nodes);

describe('a pod', () => {
  it('starts with one write request and ends with two', async () => {
    const writes = await writesOf(() => create('simple'));
    expect(writes).toEqual(['PATCH /api/v1/namespaces/default/pods/simple/status']);
    const pod = await nodes.pod('simple');
    expect(containersOf(pod)).toEqual(['web running started ready']);
    expect(conditionsOf(pod)).toEqual([
      'PodReadyToStartContainers',
      'Initialized',
      'Ready',
      'ContainersReady',
      'PodScheduled',
    ]);
    expect(pod.status).toMatchObject({
      phase: 'Running',
      observedGeneration: 1,
      hostIP: '172.18.0.2',
      hostIPs: [{ ip: '172.18.0.2' }],
      podIP: expect.stringMatching(/^10\.64\.0\.\d+$/),
      podIPs: [{ ip: pod.status?.podIP }],
      startTime: '2026-01-01T00:00:00Z',
      qosClass: 'BestEffort',
      containerStatuses: [
        {
          restartCount: 0,
          image,
          imageID: expect.stringMatching(/^registry\.example\/web@sha256:[0-9a-f]{64}$/),
          containerID: expect.stringMatching(/^hollow:\/\/[0-9a-f]{64}$/),
          resources: {},
          state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
          lastState: {},
        },
      ],
    });
    expect(await writesOf(() => remove('simple'))).toEqual([
      'PATCH /api/v1/namespaces/default/pods/simple/status',
      'DELETE /api/v1/namespaces/default/pods/simple',
    ]);
    expect(await nodes.events('simple')).toEqual([
      'Pulling: Pulling image "registry.example/web:1"',
      'Pulled: Successfully pulled image "registry.example/web:1" in 0s (0s including waiting). Image size: 1000000 bytes.',
      'Created: Container created',
      'Started: Container started',
      'Killing: Stopping container web',
    ]);
    await expect(nodes.pod('simple')).rejects.toThrow('pods "simple" not found');
    expect(nodes.log).toEqual([]);
  });

  it('causes no write requests while nothing changes', async () => {
    await create('idle');
    expect(await writesOf(() => nodes.advance(290_000, 10_000))).toEqual([]);
    await remove('idle');
  });

  it('pulls an image that is present only if the pull policy is Always', async () => {
    await create('again', { containers: [web, { ...web, name: 'always', imagePullPolicy: 'Always' }] });
    expect((await nodes.events('again')).filter((event) => event.startsWith('Pull'))).toEqual([
      'Pulled: Container image "registry.example/web:1" already present on machine and can be accessed by the pod',
      'Pulling: Pulling image "registry.example/web:1"',
      'Pulled: Successfully pulled image "registry.example/web:1" in 0s (0s including waiting). Image size: 1000000 bytes.',
    ]);
  });

  it('has its container statuses sorted by name', async () => {
    const pod = await create('sorted', { containers: [web, { ...web, name: 'api' }] });
    expect(containersOf(pod)).toEqual(['api running started ready', 'web running started ready']);
  });

  it('in the node’s network has the node’s address', async () => {
    const pod = await create('host', { hostNetwork: true });
    expect(pod.status).toMatchObject({ podIP: '172.18.0.2', podIPs: [{ ip: '172.18.0.2' }], hostIP: '172.18.0.2' });
  });

  it('is Pending while its containers are being started', async () => {
    const pod = await create('slow', {}, { 'start-delay': '3s' });
    expect(containersOf(pod)).toEqual(['web waiting ContainerCreating']);
    expect(conditionsOf(pod)).toEqual([
      'PodReadyToStartContainers=False',
      'Initialized',
      'Ready=False ContainersNotReady: containers with unready status: [web]',
      'ContainersReady=False ContainersNotReady: containers with unready status: [web]',
      'PodScheduled',
    ]);
    await nodes.advance(3000);
    expect(containersOf(await nodes.pod('slow'))).toEqual(['web running started ready']);
  });
});

describe('init containers', () => {
  it('run one after the other', async () => {
    const initContainers = [
      { ...web, name: 'one' },
      { ...web, name: 'two' },
    ];
    const pod = await create('inits', { initContainers }, { 'one.run-for': '2s', 'two.run-for': '1s' });
    expect(pod.status?.phase).toBe('Pending');
    expect(containersOf(pod)).toEqual([
      'one running started',
      'two waiting PodInitializing',
      'web waiting PodInitializing',
    ]);
    expect(conditionsOf(pod)).toEqual([
      'PodReadyToStartContainers',
      'Initialized=False ContainersNotInitialized: containers with incomplete status: [one two]',
      'Ready=False ContainersNotReady: containers with unready status: [web]',
      'ContainersReady=False ContainersNotReady: containers with unready status: [web]',
      'PodScheduled',
    ]);
    await nodes.advance(2000);
    expect(containersOf(await nodes.pod('inits'))).toEqual([
      'one Completed 0 ready',
      'two running started',
      'web waiting PodInitializing',
    ]);
    await nodes.advance(1000);
    const done = await nodes.pod('inits');
    expect(done.status?.phase).toBe('Running');
    expect(containersOf(done)).toEqual(['one Completed 0 ready', 'two Completed 0 ready', 'web running started ready']);
  });

  it('that fail are restarted unless the restart policy is Never', async () => {
    const initContainers = [{ ...web, name: 'setup' }];
    await create(
      'init-again',
      { initContainers, restartPolicy: 'OnFailure' },
      { 'setup.exit-code': '1', 'setup.exit-times': '1' },
    );
    await nodes.advance(1);
    await nodes.advance(1);
    expect(containersOf(await nodes.pod('init-again'))).toEqual([
      'setup Completed 0 ready (restarts 1, last Error 1)',
      'web running started ready',
    ]);
    await remove('init-again');
    await create('init-never', { initContainers, restartPolicy: 'Never' }, { 'setup.exit-code': '1' });
    await nodes.advance(1);
    const failed = await nodes.pod('init-never');
    expect(failed.status?.phase).toBe('Failed');
    expect(containersOf(failed)).toEqual(['setup Error 1', 'web waiting PodInitializing']);
    expect(conditionsOf(failed)).toEqual([
      'PodReadyToStartContainers=False',
      'Initialized=False ContainersNotInitialized: containers with incomplete status: [setup]',
      'Ready=False PodFailed',
      'ContainersReady=False PodFailed',
      'PodScheduled',
    ]);
  });

  it('that are sidecars start in order, and stop last in reverse order', async () => {
    const sidecar = (name: string): Container => ({ ...web, name, restartPolicy: 'Always' });
    const initContainers = [sidecar('mesh'), { ...web, name: 'setup' }, sidecar('logs')];
    await create('sidecars', { initContainers }, { 'mesh.startup': '2s', 'stop-delay': '1s' });
    expect(containersOf(await nodes.pod('sidecars'))).toEqual([
      'mesh running',
      'setup waiting PodInitializing',
      'logs waiting PodInitializing',
      'web waiting PodInitializing',
    ]);
    await nodes.advance(3000, 1000);
    expect(containersOf(await nodes.pod('sidecars'))).toEqual([
      'mesh running started ready',
      'setup Completed 0 ready',
      'logs running started ready',
      'web running started ready',
    ]);
    await remove('sidecars');
    const left: string[][] = [];
    for (let i = 0; i < 3; i++) {
      const { containers } = (await nodes.fleet.kubelets[0]!.runtime.listPods()).find(
        ({ name }) => name === 'sidecars',
      )!;
      left.push(containers.filter(({ state }) => state === 'Running').map(({ name }) => name));
      await nodes.advance(1000);
    }
    expect(left).toEqual([['web', 'logs', 'mesh'], ['logs', 'mesh'], ['mesh']]);
    await expect(nodes.pod('sidecars')).rejects.toThrow('not found');
  });

  it('that are sidecars are stopped when the main containers have ended', async () => {
    const initContainers: Container[] = [{ ...web, name: 'mesh', restartPolicy: 'Always' }];
    await create('sidecar-job', { initContainers, restartPolicy: 'Never' }, { 'web.run-for': '1s' });
    await nodes.advance(1000);
    const pod = await nodes.pod('sidecar-job');
    expect(pod.status?.phase).toBe('Succeeded');
    expect(containersOf(pod)).toEqual(['mesh Error 143', 'web Completed 0']);
    expect(conditionsOf(pod)).toEqual([
      'PodReadyToStartContainers=False',
      'Initialized=True PodCompleted',
      'Ready=False PodCompleted',
      'ContainersReady=False PodCompleted',
      'PodScheduled',
    ]);
  });
});

describe('a container that ends', () => {
  it('is restarted at once, and with increasing back-off when it ends again', async () => {
    const created = await create('crash', {}, { 'exit-code': '1', 'run-for': '1s' });
    const text = `pod=crash_default(${created.metadata.uid})`;
    await nodes.advance(1000);
    expect(containersOf(await nodes.pod('crash'))).toEqual(['web running started ready (restarts 1, last Error 1)']);
    await nodes.advance(1000);
    const crashed = await nodes.pod('crash');
    expect(crashed.status?.phase).toBe('Running');
    expect(containersOf(crashed)).toEqual([
      `web waiting CrashLoopBackOff "back-off 10s restarting failed container=web ${text}" (restarts 1, last Error 1)`,
    ]);
    await nodes.advance(10_000);
    expect(containersOf(await nodes.pod('crash'))).toEqual(['web running started ready (restarts 2, last Error 1)']);
    const delays: string[] = [];
    for (const seconds of [20, 40, 80, 160, 300, 300]) {
      await nodes.advance(1000);
      delays.push(/back-off (\S+)/.exec(containersOf(await nodes.pod('crash'))[0]!)![1]!);
      await nodes.advance(seconds * 1000);
    }
    expect(delays).toEqual(['20s', '40s', '1m20s', '2m40s', '5m0s', '5m0s']);
    expect(await nodes.events('crash')).toContainEqual(
      expect.stringMatching(
        /^Warning BackOff: Back-off restarting failed container web in pod crash_default\(.*\) \(x\d+\)$/,
      ),
    );
    await remove('crash');
  });

  it('is restarted without back-off when its image changes', async () => {
    await create('mended', {}, { 'exit-code': '1', 'run-for': '1s' });
    await nodes.advance(2000, 1000);
    expect(containersOf(await nodes.pod('mended'))[0]).toContain('CrashLoopBackOff');
    const patch = { spec: { containers: [{ name: 'web', image: 'registry.example/web:2' }] } };
    await nodes.clients.core.v1.pods('default').patch('mended', 'strategic-merge', patch);
    await nodes.settle();
    expect(containersOf(await nodes.pod('mended'))).toEqual(['web running started ready (restarts 2, last Error 1)']);
    await remove('mended');
  });

  it.each([
    ['Never', '0', 'Succeeded', 'web Completed 0'],
    ['Never', '3', 'Failed', 'web Error 3'],
    ['OnFailure', '0', 'Succeeded', 'web Completed 0'],
  ] as const)('of a pod with policy %s and code %s makes it %s', async (restartPolicy, code, phase, text) => {
    const name = `ends-${restartPolicy.toLowerCase()}-${code}`;
    await create(name, { restartPolicy }, { 'exit-code': code, 'run-for': '5s' });
    expect(await writesOf(() => nodes.advance(5000))).toEqual([`PATCH /api/v1/namespaces/default/pods/${name}/status`]);
    const pod = await nodes.pod(name);
    expect(pod.status?.phase).toBe(phase);
    expect(pod.status?.podIP).toMatch(/^10\.64/);
    expect(containersOf(pod)).toEqual([text]);
    await remove(name);
    await expect(nodes.pod(name)).rejects.toThrow('not found');
  });

  it('has the reason and message of its annotations', async () => {
    await create(
      'oom',
      { restartPolicy: 'Never' },
      {
        'exit-code': '137',
        'exit-reason': 'OOMKilled',
        'exit-message': 'too much',
      },
    );
    await nodes.advance(1);
    expect(containersOf(await nodes.pod('oom'))).toEqual(['web OOMKilled 137 "too much"']);
  });

  it('has the end of its log as message if it failed and its policy is FallbackToLogsOnError', async () => {
    const containers: Container[] = [{ ...web, terminationMessagePolicy: 'FallbackToLogsOnError' }];
    const script = { 'exit-code': '1', logs: `${'first\n'.repeat(100)}last` };
    await create('last-words', { restartPolicy: 'Never', containers }, script);
    await nodes.advance(1);
    const [status] = (await nodes.pod('last-words')).status?.containerStatuses ?? [];
    expect(status?.state?.terminated?.message).toBe(`${'first\n'.repeat(79)}last\n`);
  });

  it('is restarted according to its restart rules', async () => {
    const rules = (action: string): Partial<Container> => ({
      restartPolicy: 'Never',
      restartPolicyRules: [{ action, exitCodes: { operator: 'In', values: [42] } }],
    });
    const spec: Partial<PodSpec> = { restartPolicy: 'Never', containers: [{ ...web, ...rules('Restart') }] };
    await create('rule', spec, { 'exit-code': '42', 'exit-times': '1' });
    await nodes.advance(1);
    expect(containersOf(await nodes.pod('rule'))).toEqual(['web running started ready (restarts 1, last Error 42)']);
    await create('no-rule', spec, { 'exit-code': '41' });
    await nodes.advance(1);
    expect((await nodes.pod('no-rule')).status?.phase).toBe('Failed');
  });
});

describe('all containers of a pod', () => {
  it('are restarted when the exit code of one matches a RestartAllContainers rule', async () => {
    const trigger: Container = {
      ...web,
      name: 'trigger',
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [88] } }],
    };
    await create(
      'restart-all',
      { restartPolicy: 'Never', containers: [web, trigger] },
      {
        'trigger.run-for': '2s',
        'trigger.exit-code': '88',
        'trigger.exit-times': '1',
      },
    );
    await nodes.advance(2000);
    const pod = await nodes.pod('restart-all');
    expect(containersOf(pod)).toEqual([
      expect.stringMatching(/^trigger running started ready \(restarts 1, last RestartingAllContainers 137/),
      expect.stringMatching(/^web running started ready \(restarts 1, last RestartingAllContainers 137/),
    ]);
    expect(conditionsOf(pod)).toContain('AllContainersRestarting=False');
    await remove('restart-all');
  });

  it('are resized while they run', async () => {
    const sized = (cpu: string) => ({ requests: { cpu, memory: '64Mi' }, limits: { memory: '64Mi' } });
    const created = await create('resized', { containers: [{ ...web, resources: sized('100m') }] });
    expect(created.status).toMatchObject({
      allocatedResources: { cpu: '100m', memory: '64Mi' },
      resources: sized('100m'),
      containerStatuses: [{ allocatedResources: { cpu: '100m', memory: '64Mi' }, resources: sized('100m') }],
    });
    const patch = { spec: { containers: [{ name: 'web', resources: sized('200m') }] } };
    await nodes.clients.core.v1.pods('default').patch('resized', 'strategic-merge', patch, { subresource: 'resize' });
    await nodes.settle();
    const pod = await nodes.pod('resized');
    expect(pod.status?.containerStatuses).toMatchObject([
      { allocatedResources: { cpu: '200m', memory: '64Mi' }, resources: sized('200m'), restartCount: 0 },
    ]);
    expect(pod.status?.observedGeneration).toBe(2);
    await remove('resized');
  });
});

it('a pod of a Job succeeds after a short time', async () => {
  const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'u', controller: true }];
  await nodes.createPod({
    metadata: { name: 'of-job', ownerReferences },
    spec: { restartPolicy: 'Never', containers: [web] },
  });
  await nodes.advance(999);
  expect((await nodes.pod('of-job')).status?.phase).toBe('Running');
  await nodes.advance(1);
  expect((await nodes.pod('of-job')).status?.phase).toBe('Succeeded');
});

describe('an image', () => {
  it('that cannot be pulled is retried with back-off', async () => {
    const pod = await create(
      'no-image',
      { containers: [{ name: 'web', image: 'registry.example/none' }] },
      { 'image-pull': 'error 25s' },
    );
    const why = `rpc error: code = Unknown desc = failed to pull and unpack image "registry.example/none:latest": scripted by the pod's annotations`;
    expect(pod.status?.phase).toBe('Pending');
    expect(containersOf(pod)).toEqual([`web waiting ErrImagePull "${why}"`]);
    await nodes.advance(1000);
    expect(containersOf(await nodes.pod('no-image'))).toEqual([
      `web waiting ImagePullBackOff "Back-off pulling image "registry.example/none": ErrImagePull: ${why}"`,
    ]);
    await nodes.advance(9000);
    expect(containersOf(await nodes.pod('no-image'))[0]).toMatch(/^web waiting ErrImagePull/);
    await nodes.advance(20_000, 1000);
    expect(containersOf(await nodes.pod('no-image'))).toEqual(['web running started ready']);
    expect(await nodes.events('no-image')).toEqual([
      `Warning Failed: Failed to pull image "registry.example/none": ${why} (x2)`,
      'Warning Failed: Error: ErrImagePull (x2)',
      'BackOff: Back-off pulling image "registry.example/none" (x2)',
      'Warning Failed: Error: ImagePullBackOff (x2)',
      'Pulling: Pulling image "registry.example/none" (x3)',
      'Pulled: Successfully pulled image "registry.example/none" in 0s (0s including waiting). Image size: 1000000 bytes.',
      'Created: Container created',
      'Started: Container started',
    ]);
  });

  it('that is a volume is pulled before the containers that mount it are created', async () => {
    const volumes = (pullPolicy: 'IfNotPresent' | 'Never') => [
      { name: 'model', image: { reference: 'registry.example/model:1', pullPolicy } },
    ];
    const mounting: Container = { ...web, volumeMounts: [{ name: 'model', mountPath: '/model' }] };
    const pod = await create('no-volume', {
      volumes: volumes('Never'),
      containers: [mounting, { ...web, name: 'other' }],
    });
    const message = 'Container image "registry.example/model:1" is not present with pull policy of Never';
    expect(containersOf(pod)).toEqual(['other running started ready', `web waiting ErrImageNeverPull "${message}"`]);
    await remove('no-volume');
    const { status } = await create('volume', { volumes: volumes('IfNotPresent'), containers: [mounting] });
    expect(status?.phase).toBe('Running');
    expect((await nodes.events('volume'))[0]).toBe('Pulling: Pulling image "registry.example/model:1"');
    await remove('volume');
  });

  it('with pull policy Never is not pulled', async () => {
    const containers: Container[] = [{ name: 'web', image: 'registry.example/absent:1', imagePullPolicy: 'Never' }];
    const pod = await create('never-pull', { containers });
    const message = 'Container image "registry.example/absent:1" is not present with pull policy of Never';
    expect(containersOf(pod)).toEqual([`web waiting ErrImageNeverPull "${message}"`]);
    expect(await nodes.events('never-pull')).toEqual([
      `Warning ErrImageNeverPull: ${message}`,
      'Warning Failed: Error: ErrImageNeverPull',
    ]);
    await remove('never-pull');
  });

  it('with an invalid name keeps the container waiting', async () => {
    const pod = await create('bad-image', { containers: [{ name: 'web', image: 'UPPER:1' }] });
    expect(containersOf(pod)[0]).toMatch(/^web waiting InvalidImageName/);
    await remove('bad-image');
  });
});
