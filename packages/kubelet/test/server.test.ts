import type { Pod } from '@coxswain/api/core/v1';
import { RequestBuilder } from '@coxswain/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNodes } from './test-nodes.ts';

let nodes: TestNodes;
beforeAll(async () => {
  nodes = await TestNodes.start([{ name: 'n1', addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] }]);
  await create('web', {
    'hollow.coxswain.dev/web.logs': 'one\ntwo\nthree',
    'hollow.coxswain.dev/cpu': '250m',
    'hollow.coxswain.dev/web.memory': '64Mi',
  });
});
afterAll(() => nodes.stop());

const create = (name: string, annotations: Record<string, string>): Promise<Pod> =>
  nodes.createPod({
    metadata: { name, annotations },
    spec: {
      containers: [
        { name: 'web', image: 'registry.example/web:1' },
        { name: 'side', image: 'registry.example/web:1' },
      ],
    },
  });

/** Sends a GET request to the API server, as kubectl does. */
async function ask(path: string): Promise<string> {
  const [plain = '', query = ''] = path.split('?');
  const request = new RequestBuilder(nodes.rest, 'GET').absPath(plain);
  for (const [name, value] of new URLSearchParams(query)) request.param(name, value);
  return new TextDecoder().decode(await request.raw());
}
const log = (pod: string, query: string): Promise<string> => ask(`/api/v1/namespaces/default/pods/${pod}/log?${query}`);
const proxy = (path: string): Promise<string> => ask(`/api/v1/nodes/n1/proxy/${path}`);

describe('sessions', () => {
  // A plain text response would be parsed as YAML by kubectl before v1.36, and become a Status without a message.
  it.each([
    ['exec', 'exec/default/web/web?command=ls&output=1', /^this node is hollow: its containers are not really there/],
    ['attach', 'attach/default/web/web?output=1', /^this node is hollow: its containers are not really there/],
    ['port-forward', 'portForward/default/web', /^this node's runtime has no ports to forward: /],
  ])('of %s are rejected with a Status that has the reason', async (_, path, message) => {
    await expect(proxy(path)).rejects.toMatchObject({ code: 501, message: expect.stringMatching(message) });
  });
});

describe('logs', () => {
  it.each([
    ['container=web', 'one\ntwo\nthree\n'],
    ['container=web&tailLines=1', 'three\n'],
    ['container=web&timestamps=true&tailLines=1', '2026-01-01T00:00:00Z three\n'],
    ['container=web&limitBytes=5', 'one\nt'],
    ['container=side', 'This container is hollow: nothing runs in it.\n'],
  ])('%s', async (query, text) => {
    expect(await log('web', query)).toBe(text);
  });

  it('are rejected with the reason if there are none', async () => {
    await expect(log('web', 'container=web&previous=true')).rejects.toThrow(
      'previous terminated container "web" in pod "web" not found',
    );
    await create('slow', { 'hollow.coxswain.dev/start-delay': '1m' });
    await expect(log('slow', 'container=web')).rejects.toThrow(
      'container "web" in pod "slow" is waiting to start: ContainerCreating',
    );
    await create('pulling', { 'hollow.coxswain.dev/image-pull': 'error' });
  });

  it('are followed until the container ends', async () => {
    await create('followed', { 'hollow.coxswain.dev/web.run-for': '5s', 'hollow.coxswain.dev/web.logs': 'begun' });
    let isOver = false;
    const following = log('followed', 'container=web&follow=true').then((text) => {
      isOver = true;
      return text;
    });
    await nodes.settle();
    expect(isOver).toBe(false);
    await nodes.advance(5000);
    expect(await following).toBe('begun\n');
  });

  const say = (name: string, script: string): Promise<Pod> =>
    nodes.createPod({
      metadata: { name },
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'say', image: 'busybox', command: ['sh', '-c', script] }],
      },
    });

  it('have the output of simple commands, each line at its time', async () => {
    await say('lines', 'echo one; sleep 2; echo two; sleep 3; exit 1');
    expect(await log('lines', '')).toBe('one\n');
    const following = log('lines', 'follow=true&timestamps=true');
    const ofTwo = log('lines', 'follow=true&limitBytes=5');
    await nodes.settle();
    await nodes.advance(2000);
    expect(await log('lines', '')).toBe('one\ntwo\n');
    expect(await log('lines', 'sinceSeconds=1')).toBe('two\n');
    await nodes.advance(3000);
    const lines = (await following).split('\n').map((line) => line.split(' '));
    expect(lines.map(([, text]) => text)).toEqual(['one', 'two', undefined]);
    expect(Date.parse(lines[1]![0]!) - Date.parse(lines[0]![0]!)).toBe(2000);
    expect(await ofTwo).toBe('one\nt');
    expect(await log('lines', '')).toBe('one\ntwo\n');
    await say('silent', 'sleep 1h');
    expect(await log('silent', '')).toBe('');
  });

  it('have no lines that were due after the container’s end', async () => {
    await say('cut', 'echo one; sleep 60; echo two');
    const following = log('cut', 'follow=true');
    await nodes.settle();
    await nodes.clients.core.v1.pods('default').delete('cut', { gracePeriodSeconds: 1 });
    await nodes.advance(2000);
    expect(await following).toBe('one\n');
  });
});

describe('the kubelet’s own pages', () => {
  it('have its health', async () => expect(await proxy('healthz')).toBe('ok'));

  it('list its pods, and those that run', async () => {
    const names = (text: string): string[] => JSON.parse(text).items.map(({ metadata }: Pod) => metadata.name);
    expect(names(await proxy('pods'))).toEqual(expect.arrayContaining(['web', 'slow']));
    const running = names(await proxy('runningpods/'));
    expect(running).toContain('web');
    expect(running).not.toContain('slow');
  });

  it('have the CPU and memory usage that annotations script', async () => {
    const pod = JSON.parse(await proxy('stats/summary')).pods.find(
      ({ podRef }: { podRef: { name: string } }) => podRef.name === 'web',
    );
    expect(pod).toMatchObject({ cpu: { usageNanoCores: 500_000_000 }, memory: { workingSetBytes: 64 * 2 ** 20 } });
    const metrics = await proxy('metrics/resource');
    expect(metrics).toMatch(
      /^container_memory_working_set_bytes\{container="web",namespace="default",pod="web"\} 6\.7108864e\+07 \d{13}$/m,
    );
    expect(metrics).toContain('# TYPE pod_cpu_usage_seconds_total counter\n');
  });

  it('respond with 404 for unknown paths', async () => {
    await expect(proxy('nothing')).rejects.toMatchObject({ code: 404 });
  });
});
