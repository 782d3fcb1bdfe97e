import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@coxswain/apimachinery/clock';
import { GroupKind } from '@coxswain/apimachinery/meta';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RESTClient } from '../../rest/rest-client.ts';
import { CachedDiscovery } from '../cached-discovery.ts';
import { DeferredRESTMapper } from '../deferred-rest-mapper.ts';
import { DiscoveryClient } from '../discovery-client.ts';
import { RecordingTransport } from '../recording-transport.test-data.ts';
import { DiskCachedDiscovery, discoveryCacheDirectory } from './disk-cached-discovery.ts';

const resource = { name: 'jobs', singularName: 'job', namespaced: true, kind: 'Job', verbs: ['get'] };
const groupVersion = (name: string) => ({ groupVersion: `${name}/v1`, version: 'v1' });
const group = (name: string) => ({ name, versions: [groupVersion(name)], preferredVersion: groupVersion(name) });
const list = (name: string) => ({ kind: 'APIResourceList', groupVersion: `${name}/v1`, resources: [resource] });

let directory: string;
let transport: RecordingTransport;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'discovery-'));
  transport = new RecordingTransport();
  offer('batch');
});
afterEach(() => rm(directory, { recursive: true }));

function offer(...names: string[]): void {
  transport.answers.set('/apis', { status: 200, body: { kind: 'APIGroupList', groups: names.map(group) } });
  for (const name of names) transport.answers.set(`/apis/${name}/v1`, { status: 200, body: list(name) });
}

/** A new instance, as in a newly started program. */
function start(nowMs = systemClock.now()): DiskCachedDiscovery {
  const memory = new CachedDiscovery(new DiscoveryClient(new RESTClient(transport)));
  return new DiskCachedDiscovery(memory, { directory, clock: { ...systemClock, now: () => nowMs } });
}

describe('DiskCachedDiscovery', () => {
  it('stores discovery for the next run, in the files of kubectl', async () => {
    const first = start();
    const told = await first.serverGroupsAndResources();
    expect(first.fresh()).toBe(true);
    expect(JSON.parse(await readFile(join(directory, 'servergroups.json'), 'utf8'))).toEqual({
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: [group('batch')],
    });
    expect(JSON.parse(await readFile(join(directory, 'batch/v1/serverresources.json'), 'utf8'))).toEqual({
      ...list('batch'),
      apiVersion: 'v1',
    });
    expect(await readdir(join(directory, 'batch/v1'))).toEqual(['serverresources.json']);
    transport.requests.length = 0;
    const second = start();
    const again = await second.serverGroupsAndResources();
    expect(again.groups).toEqual(told.groups);
    expect(again.resourceLists.map((it) => it.resources)).toEqual(told.resourceLists.map((it) => it.resources));
    expect((await second.preferredNamespacedResources()).resourceLists).toHaveLength(1);
    expect(transport.requests).toEqual([]);
    expect(second.fresh()).toBe(false);
  });

  it.each<[string, (file: string) => Promise<number | undefined>]>([
    ['is too old', async () => systemClock.now() + 7 * 60 * 60 * 1000],
    ['is not JSON', (file) => writeFile(file, '{"kind":"APIGro').then(() => undefined)],
    ['is another kind', (file) => writeFile(file, '{"kind":"Status"}').then(() => undefined)],
  ])('requests discovery from the server when the file %s', async (_, spoil) => {
    await start().groups();
    const nowMs = await spoil(join(directory, 'servergroups.json'));
    transport.requests.length = 0;
    expect(await start(nowMs).groups()).toEqual([group('batch')]);
    expect(transport.requests).toContain('GET /apis 200');
  });

  it('lets a mapper find a resource that is newer than the files', async () => {
    await start().serverGroupsAndResources();
    offer('batch', 'later');
    const mapper = new DeferredRESTMapper(start());
    expect((await mapper.restMapping(GroupKind.of('later', 'Job'))).resource.resource).toBe('jobs');
    const { length } = transport.requests;
    const next = new DeferredRESTMapper(start());
    expect((await next.restMapping(GroupKind.of('later', 'Job'))).resource.resource).toBe('jobs');
    expect(transport.requests).toHaveLength(length);
  });

  it('reports group versions that could not be read, and does not write files for them', async () => {
    transport.answers.set('/apis/batch/v1', { status: 503, body: 'later' });
    const { failure } = await start().serverGroupsAndResources();
    expect(failure?.message).toContain('batch/v1: the server is currently unable to handle the request');
    expect(await readdir(directory)).toEqual(['servergroups.json']);
  });

  it('writes only inside its directory, even for malicious group names', async () => {
    const inside = join(directory, 'cache');
    await mkdir(inside);
    const body = { ...list('..'), groupVersion: '../escaped' };
    transport.answers.set('/apis/../escaped', { status: 200, body });
    const discovery = new DiskCachedDiscovery(new CachedDiscovery(new DiscoveryClient(new RESTClient(transport))), {
      directory: inside,
    });
    const groups = [{ name: '..', versions: [{ groupVersion: '../escaped', version: 'escaped' }] }];
    transport.answers.set('/apis', { status: 200, body: { kind: 'APIGroupList', groups } });
    expect((await discovery.serverGroupsAndResources()).resourceLists).toEqual([body]);
    expect(await readdir(directory)).toEqual(['cache']);
  });

  it('works without a writable directory', async () => {
    await writeFile(join(directory, 'file'), '');
    const memory = new CachedDiscovery(new DiscoveryClient(new RESTClient(transport)));
    const discovery = new DiskCachedDiscovery(memory, { directory: join(directory, 'file') });
    expect(await discovery.groups()).toEqual([group('batch')]);
  });
});

it.each([
  ['https://127.0.0.1:6443', 'p/127.0.0.1_6443'],
  ['http://api.example.com:80/k8s/clusters/c-1', 'p/api.example.com_80/k8s/clusters/c_1'],
])('names the directory of %s as kubectl does', (server, expected) => {
  expect(discoveryCacheDirectory(server, 'p')).toBe(expected);
});
