import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { podCondition } from '@coxswain/component-helpers';
import { afterEach, describe, expect, it } from 'vitest';
import { completeConfiguration } from '../src/config/complete-configuration.ts';
import { parseConfiguration } from '../src/config/parse-configuration.ts';
import { Action } from '../src/framework/cluster-event.ts';
import type { Handle, PluginDefinition } from '../src/framework/handle.ts';
import type { Plugin } from '../src/framework/plugin.ts';
import { Status } from '../src/framework/status.ts';
import { TestCluster } from './test-cluster.ts';

let cluster: TestCluster;
afterEach(() => cluster.stop());

/** A profile with the default plug-ins and these, but without preemption. */
const withPlugins = (...names: string[]) =>
  completeConfiguration({
    profiles: [
      {
        plugins: {
          multiPoint: { enabled: names.map((name) => ({ name })) },
          postFilter: { disabled: [{ name: '*' }] },
        },
      },
    ],
  });

const plugin = (name: string, make: (handle: Handle) => Omit<Plugin, 'name'>): PluginDefinition => ({
  name,
  create: (_, handle) => ({ name, ...make(handle) }),
});

describe('two profiles', () => {
  it('schedule with their own plug-ins and report events under their own names', async () => {
    const config = parseConfiguration(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
- schedulerName: packing
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: MostAllocated
        resources: [{name: cpu, weight: 1}]
  plugins:
    score:
      disabled: [{name: '*'}]
      enabled: [{name: NodeResourcesFit}]
`);
    cluster = await TestCluster.start({ config });
    await cluster.createNode('busy');
    await cluster.createPod('first', { requests: { cpu: '1' } });
    await cluster.settle();
    await cluster.createNode('free');
    await cluster.createPod('spread', { requests: { cpu: '1' } });
    await cluster.createPod('packed', { requests: { cpu: '1' }, schedulerName: 'packing' });
    await cluster.settle();
    expect(await cluster.placements()).toEqual({ first: 'busy', spread: 'free', packed: expect.any(String) });
    // Both nodes are equally loaded by now; the second packed pod must be placed on the node of the first.
    const { packed } = await cluster.placements();
    await cluster.createPod('packed-2', { requests: { cpu: '1' }, schedulerName: 'packing' });
    await cluster.settle();
    expect((await cluster.placements())['packed-2']).toBe(packed);
    const { items } = await cluster.clients.events.v1.events('default').list();
    const reporters = new Map(items.map((event) => [event.regarding?.name, event.reportingController]));
    expect(reporters.get('spread')).toBe('default-scheduler');
    expect(reporters.get('packed')).toBe('packing');
  });
});

describe('a custom plug-in', () => {
  it('filters and scores nodes', async () => {
    const rack = plugin('Rack', () => ({
      eventsToRegister: () => [{ event: { resource: 'Node', action: Action.Add } }],
      filter: (_state, _pod, node) =>
        node.node?.metadata.labels?.rack === 'old' ? Status.unschedulable('node(s) are in an old rack') : undefined,
      score: (_state, _pod, node) => (node.node?.metadata.labels?.rack === 'new' ? 100 : 0),
    }));
    cluster = await TestCluster.start({ config: withPlugins('Rack'), plugins: [rack] });
    await cluster.createNode('a', { labels: { rack: 'old' } });
    await cluster.createPod('web');
    await cluster.settle();
    expect(await cluster.events()).toEqual([
      'Warning FailedScheduling Pod/web: 0/1 nodes are available: 1 node(s) are in an old rack.',
    ]);
    await cluster.createNode('b', { allocatable: { cpu: '64', memory: '64Gi' } });
    await cluster.createNode('c', { labels: { rack: 'new' } });
    await cluster.advance(2000, 1000);
    expect(await cluster.placements()).toEqual({ web: 'b' });
    await cluster.createPod('next', { requests: { cpu: '3', memory: '7Gi' } });
    await cluster.settle();
    expect((await cluster.placements()).next).toBe('c');
  });

  it('delays pods in Permit until there are enough of them', async () => {
    const gang = plugin('Gang', ({ waitingPods }) => ({
      permit: () => {
        const waiting = [...waitingPods];
        if (waiting.length < 2) return { status: new Status('Wait'), timeoutMs: 30_000 };
        for (const pod of waiting) pod.allow('Gang');
        return undefined;
      },
    }));
    cluster = await TestCluster.start({ config: withPlugins('Gang'), plugins: [gang] });
    await cluster.createNode('a');
    await cluster.createPod('one');
    await cluster.createPod('two');
    await cluster.settle();
    expect(await cluster.placements()).toEqual({ one: undefined, two: undefined });
    // The nomination shows other components the pod's node.
    expect((await cluster.pod('one')).status?.nominatedNodeName).toBe('a');
    await cluster.createPod('three');
    await cluster.settle();
    expect(await cluster.placements()).toEqual({ one: 'a', two: 'a', three: 'a' });
    expect((await cluster.pod('one')).status?.nominatedNodeName).toBeUndefined();
  });

  it('delays a pod in Permit only up to its timeout', async () => {
    const never = plugin('Never', () => ({
      eventsToRegister: () => [],
      permit: () => ({ status: new Status('Wait'), timeoutMs: 5000 }),
    }));
    cluster = await TestCluster.start({ config: withPlugins('Never'), plugins: [never] });
    await cluster.createNode('a');
    await cluster.createPod('web');
    await cluster.settle();
    await cluster.advance(5000);
    const message = '0/1 nodes are available: 1 rejected due to timeout after waiting 5s at plugin Never.';
    expect(await cluster.events()).toEqual([`Warning FailedScheduling Pod/web: ${message}`]);
    expect(podCondition(await cluster.pod('web'), 'PodScheduled')).toMatchObject({ reason: 'Unschedulable', message });
    expect((await cluster.pod('web')).status?.nominatedNodeName).toBeUndefined();
  });

  it('is called with unreserve when a later step fails', async () => {
    const calls: string[] = [];
    const careful = plugin('Careful', () => ({
      reserve: () => void calls.push('reserve'),
      unreserve: () => void calls.push('unreserve'),
      preBind: async () => {
        calls.push('preBind');
        return calls.length > 4 ? undefined : Status.failed(new Error('no disk'));
      },
      postBind: () => void calls.push('postBind'),
    }));
    cluster = await TestCluster.start({ config: withPlugins('Careful'), plugins: [careful] });
    await cluster.createNode('a');
    await cluster.createPod('web');
    await cluster.settle();
    expect(await cluster.events()).toEqual([
      'Warning FailedScheduling Pod/web: running PreBind plugin "Careful": no disk',
    ]);
    await cluster.advance(3000, 1000);
    expect(await cluster.placements()).toEqual({ web: 'a' });
    expect(calls).toEqual(['reserve', 'preBind', 'unreserve', 'reserve', 'preBind', 'postBind']);
  });

  it('that throws affects only the pod it throws for', async () => {
    const broken = plugin('Broken', () => ({
      filter: (_state, { pod }) => {
        if (pod.metadata.name === 'unlucky') throw new TypeError('it is broken');
        return undefined;
      },
    }));
    cluster = await TestCluster.start({ config: withPlugins('Broken'), plugins: [broken] });
    await cluster.createNode('a');
    await cluster.createPod('unlucky');
    await cluster.createPod('lucky');
    await cluster.settle();
    expect(await cluster.placements()).toEqual({ unlucky: undefined, lucky: 'a' });
    expect(await cluster.events()).toContain('Warning FailedScheduling Pod/unlucky: it is broken');
  });

  it('that scores out of bounds causes an error', async () => {
    const eager = plugin('Eager', () => ({ score: () => 101 }));
    cluster = await TestCluster.start({ config: withPlugins('Eager'), plugins: [eager] });
    await cluster.createNode('a');
    await cluster.createNode('b');
    await cluster.createPod('web');
    await cluster.settle();
    expect(await cluster.events()).toEqual([
      'Warning FailedScheduling Pod/web: applying score defaultWeights on Score plugins: plugin "Eager" returns an invalid score 101, it should in the range of [0, 100] after normalizing',
    ]);
  });
});

describe('an extender', () => {
  const asked: { path: string; body: Record<string, unknown> }[] = [];
  let answers: Record<string, unknown> = {};
  let server: Server | undefined;
  afterEach(() => {
    asked.length = 0;
    server?.close();
    server?.closeAllConnections();
  });

  async function listen(): Promise<string> {
    server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      request.on('end', () => {
        const path = request.url ?? '';
        asked.push({ path, body: JSON.parse(text) });
        const answer = answers[path];
        response.writeHead(answer === undefined ? 500 : 200).end(JSON.stringify(answer ?? {}));
      });
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/ext/`;
  }

  const configFor = (urlPrefix: string, more: object = {}) => {
    const verbs = { filterVerb: 'filter', prioritizeVerb: 'prioritize', bindVerb: 'bind', weight: 5 };
    const profiles = [{ plugins: { postFilter: { disabled: [{ name: '*' }] } } }];
    return completeConfiguration({ profiles, extenders: [{ urlPrefix, nodeCacheCapable: true, ...verbs, ...more }] });
  };

  it('filters, scores and binds', async () => {
    answers = {
      '/ext/filter': { NodeNames: ['b', 'c'], FailedNodes: { a: 'too far away' } },
      '/ext/prioritize': [
        { Host: 'b', Score: 1 },
        { Host: 'c', Score: 10 },
      ],
      '/ext/bind': {},
    };
    cluster = await TestCluster.start({ config: configFor(await listen()) });
    for (const name of ['a', 'b', 'c']) await cluster.createNode(name);
    const { metadata } = await cluster.createPod('web');
    await cluster.until(async () => asked.length === 3);
    await cluster.until(async () => (await cluster.events()).length === 1);
    expect(asked.map(({ path }) => path)).toEqual(['/ext/filter', '/ext/prioritize', '/ext/bind']);
    expect(asked[0]?.body).toMatchObject({ Pod: { metadata: { name: 'web' } }, Nodes: null });
    expect(asked[0]?.body.NodeNames).toEqual(expect.arrayContaining(['a', 'b', 'c']));
    expect(asked[2]?.body).toEqual({ PodName: 'web', PodNamespace: 'default', PodUID: metadata.uid, Node: 'c' });
    expect(await cluster.events()).toEqual(['Normal Scheduled Pod/web: Successfully assigned default/web to c']);
  });

  it('that rejects all nodes provides the reasons', async () => {
    answers = { '/ext/filter': { nodeNames: [], failedNodes: { a: 'too far away' } } };
    cluster = await TestCluster.start({ config: configFor(await listen()) });
    await cluster.createNode('a');
    await cluster.createPod('web');
    await cluster.until(async () => (await cluster.events()).length === 1);
    expect(await cluster.events()).toEqual([
      'Warning FailedScheduling Pod/web: 0/1 nodes are available: 1 too far away.',
    ]);
  });

  it('that fails keeps pods unscheduled unless it is ignorable', async () => {
    answers = {};
    const url = await listen();
    cluster = await TestCluster.start({ config: configFor(url) });
    await cluster.createNode('a');
    await cluster.createPod('web');
    await cluster.until(async () => (await cluster.events()).length === 1);
    expect(await cluster.events()).toEqual([
      `Warning FailedScheduling Pod/web: failed filter with extender at URL ${url}filter, code 500`,
    ]);
    await cluster.stop();
    cluster = await TestCluster.start({ config: configFor(url, { ignorable: true }) });
    await cluster.createNode('a');
    await cluster.createPod('web');
    await cluster.until(async () => (await cluster.placements()).web);
  });

  it('is only called for pods with its managed resources, which the scheduler ignores', async () => {
    answers = { '/ext/filter': { NodeNames: ['a'] }, '/ext/prioritize': [], '/ext/bind': {} };
    const managedResources = [{ name: 'example.com/gpu', ignoredByScheduler: true }];
    cluster = await TestCluster.start({ config: configFor(await listen(), { managedResources }) });
    await cluster.createNode('a');
    await cluster.createPod('plain');
    await cluster.settle();
    expect(asked).toEqual([]);
    const gpu = { 'example.com/gpu': '1' };
    await cluster.clients.core.v1.pods('default').create({
      metadata: { name: 'gpu' },
      spec: { containers: [{ name: 'main', image: 'main', resources: { requests: gpu, limits: gpu } }] },
    });
    await cluster.until(async () => asked.some(({ path }) => path === '/ext/bind'));
  });
});
