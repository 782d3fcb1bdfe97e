import { mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pod } from '@coxswain/api/core/v1';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canMount, podWith, ScratchNode } from './testing/scratch-node.test-data.ts';

const b64 = (text: string): string => Buffer.from(text).toString('base64');
const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o7777).toString(8);

if (!canMount) console.warn('Skipped: tests of volumes need root on Linux.');

describe.skipIf(!canMount)('the volumes of a pod', () => {
  let node: ScratchNode;
  beforeEach(async () => {
    node = await ScratchNode.start();
  });
  afterEach(() => node.remove());

  const volume = (plugin: string, name: string, ...path: string[]): string =>
    join(node.podDirectory(), 'volumes', `kubernetes.io~${plugin}`, name, ...path);

  const context = { env: new Map<string, string>(), imageVolumes: new Map() };

  it('are mounted, handed to its containers, and gone afterwards', async () => {
    node.configMaps.set('settings', { metadata: {}, data: { 'a.conf': 'a' }, binaryData: { bin: b64('\0') } });
    node.secrets.set('password', { metadata: {}, type: 'Opaque', data: { word: b64('hush') } });
    const pod = podWith([
      { name: 'disk', emptyDir: {} },
      { name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
      { name: 'config', configMap: { name: 'settings', defaultMode: 0o644 } },
      { name: 'secret', secret: { secretName: 'password', defaultMode: 0o400 } },
      {
        name: 'info',
        downwardAPI: {
          defaultMode: 0o644,
          items: [
            { path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } },
            { path: 'cpu', resourceFieldRef: { containerName: 'main', resource: 'limits.cpu' } },
          ],
        },
      },
      {
        name: 'token',
        projected: {
          defaultMode: 0o644,
          sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 3600 } }],
        },
      },
      { name: 'host', hostPath: { path: join(node.directory, 'host'), type: 'DirectoryOrCreate' } },
    ]);
    const manager = node.manager();
    expect(await manager.mount(pod, node.signal)).toEqual([]);
    expect(await modeOf(volume('empty-dir', 'disk'))).toBe('777');
    expect(await modeOf(volume('empty-dir', 'memory'))).toBe('1777');
    expect(await readFile(volume('configmap', 'config', 'a.conf'), 'utf8')).toBe('a');
    expect(await readFile(volume('configmap', 'config', 'bin'), 'utf8')).toBe('\0');
    expect(await readFile(volume('secret', 'secret', 'word'), 'utf8')).toBe('hush');
    expect(await modeOf(volume('secret', 'secret', 'word'))).toBe('400');
    expect(await readFile(volume('downward-api', 'info', 'labels'), 'utf8')).toBe('app="a"');
    expect(await readFile(volume('downward-api', 'info', 'cpu'), 'utf8')).toBe('2');
    expect(await readFile(volume('projected', 'token', 'token'), 'utf8')).toBe('token-1');
    expect((await node.mountPoints()).toSorted()).toEqual([
      volume('downward-api', 'info'),
      volume('empty-dir', 'memory'),
      volume('projected', 'token'),
      volume('secret', 'secret'),
    ]);
    const mounts = await manager.mountsOf(pod, pod.spec!.containers[0]!, context);
    expect(mounts.map(({ containerPath, hostPath, readonly }) => [containerPath, hostPath, readonly])).toEqual([
      ['/disk', volume('empty-dir', 'disk'), false],
      ['/memory', volume('empty-dir', 'memory'), false],
      ['/config', volume('configmap', 'config'), true],
      ['/secret', volume('secret', 'secret'), true],
      ['/info', volume('downward-api', 'info'), true],
      ['/token', volume('projected', 'token'), true],
      ['/host', join(node.directory, 'host'), false],
    ]);
    await writeFile(join(node.directory, 'host', 'kept'), '');
    await manager.unmount(pod, node.signal);
    expect(await node.mountPoints()).toEqual([]);
    expect(await readdir(join(node.podDirectory()))).toEqual(['plugins']);
    await manager.remove('uid-1');
    expect(await readdir(join(node.directory, 'kubelet', 'pods'))).toEqual([]);
    expect(await readdir(join(node.directory, 'host'))).toEqual(['kept']);
  });

  it('that cannot be mounted are told of in upstream’s words, and do not keep others from being mounted', async () => {
    node.configMaps.set('settings', { metadata: {}, data: {} });
    node.claims.set('pending', { metadata: {}, status: { phase: 'Pending' } });
    const pod = podWith([
      { name: 'disk', emptyDir: {} },
      { name: 'config', configMap: { name: 'gone', defaultMode: 0o644 } },
      { name: 'key', configMap: { name: 'settings', defaultMode: 0o644, items: [{ key: 'k', path: 'k' }] } },
      { name: 'optional', configMap: { name: 'gone', defaultMode: 0o644, optional: true } },
      { name: 'claim', persistentVolumeClaim: { claimName: 'pending' } },
      { name: 'file', hostPath: { path: node.directory, type: 'File' } },
      { name: 'back', hostPath: { path: '/a/../b' } },
      {
        name: 'parts',
        projected: {
          defaultMode: 0o644,
          sources: [{ secret: { name: 'gone' } }, { configMap: { name: 'gone' } }],
        },
      },
      { name: 'outside', configMap: { name: 'paths', defaultMode: 0o644, items: [{ key: 'k', path: '../k' }] } },
    ]);
    node.configMaps.set('paths', { metadata: {}, data: { k: '' } });
    expect(await node.manager().mount(pod, node.signal)).toEqual([
      'MountVolume.SetUp failed for volume "back" : invalid HostPath `/a/../b`: must not contain \'..\'',
      'MountVolume.SetUp failed for volume "config" : configmap "gone" not found',
      `MountVolume.SetUp failed for volume "file" : hostPath type check failed: ${node.directory} is not a file`,
      'MountVolume.SetUp failed for volume "key" : configmap references non-existent config key: k',
      'MountVolume.SetUp failed for volume "outside" : invalid path: must not contain \'..\': ../k',
      'MountVolume.SetUp failed for volume "parts" : [secret "gone" not found, configmap "gone" not found]',
      'Unable to attach or mount volumes: unmounted volumes=[back claim config file key outside parts], unattached volumes=[], failed to process volumes=[claim]: error processing PVC ns/pending: PVC is not bound',
    ]);
    expect(await readdir(volume('empty-dir', 'disk'))).toEqual([]);
    expect(await readdir(volume('configmap', 'optional'))).toContain('..data');
  });

  it('survive a restart of the kubelet, undisturbed', async () => {
    node.secrets.set('password', { metadata: {}, type: 'Opaque', data: { word: b64('hush') } });
    const pod = podWith([
      { name: 'disk', emptyDir: {} },
      { name: 'memory', emptyDir: { medium: 'Memory' } },
      { name: 'secret', secret: { secretName: 'password', defaultMode: 0o400 } },
    ]);
    await node.manager().mount(pod, node.signal);
    await writeFile(volume('empty-dir', 'disk', 'file'), 'a');
    await writeFile(volume('empty-dir', 'memory', 'file'), 'b');
    const before = await readlink(volume('secret', 'secret', '..data'));
    const restarted = node.manager();
    expect(await restarted.mount(pod, node.signal)).toEqual([]);
    expect(await readFile(volume('empty-dir', 'disk', 'file'), 'utf8')).toBe('a');
    expect(await readFile(volume('empty-dir', 'memory', 'file'), 'utf8')).toBe('b');
    expect(await readlink(volume('secret', 'secret', '..data'))).toBe(before);
    expect(await node.mountPoints()).toHaveLength(2);
    // A kubelet that never mounted them removes them too.
    await node.manager().remove('uid-1');
    expect(await node.mountPoints()).toEqual([]);
    expect(await readdir(join(node.directory, 'kubelet', 'pods'))).toEqual([]);
  });

  it('follow the objects that they are made of', async () => {
    node.configMaps.set('settings', { metadata: {}, data: { a: '1', b: '1' } });
    const item = { path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } };
    const pod = podWith([
      { name: 'config', configMap: { name: 'settings', defaultMode: 0o644 } },
      { name: 'info', downwardAPI: { defaultMode: 0o644, items: [item] } },
    ]);
    const manager = node.manager();
    await manager.mount(pod, node.signal);
    const stop = new AbortController();
    const running = manager.run(stop.signal);
    node.configMaps.set('settings', { metadata: {}, data: { b: '2', c: '2' } });
    await advanceUntil(node, async () => (await readdir(volume('configmap', 'config'))).includes('c'));
    expect(await readFile(volume('configmap', 'config', 'b'), 'utf8')).toBe('2');
    expect((await readdir(volume('configmap', 'config'))).filter((name) => !name.startsWith('..'))).toEqual(['b', 'c']);
    const changed: Pod = { ...pod, metadata: { ...pod.metadata, labels: { app: 'b' } } };
    manager.observe(changed);
    await advanceUntil(
      node,
      async () => (await readFile(volume('downward-api', 'info', 'labels'), 'utf8')) === 'app="b"',
    );
    node.configMaps.delete('settings');
    await advanceUntil(node, async () => node.problems.length > 0);
    expect(node.problems[0]).toBe('MountVolume.SetUp failed for volume "config" : configmap "settings" not found');
    expect(await readFile(volume('configmap', 'config', 'b'), 'utf8')).toBe('2');
    stop.abort();
    await running;
  });

  it('are removed without following links or entering mounts that containers have made in them', async () => {
    const outside = join(node.directory, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'precious'), '');
    const pod = podWith([{ name: 'disk', emptyDir: {} }]);
    const manager = node.manager();
    await manager.mount(pod, node.signal);
    await symlink(outside, volume('empty-dir', 'disk', 'link'));
    await mkdir(volume('empty-dir', 'disk', 'mounted'));
    await node.host.mounter.bindMount({ source: outside, target: volume('empty-dir', 'disk', 'mounted') });
    await manager.unmount(pod, node.signal);
    await manager.remove('uid-1');
    expect(await node.mountPoints()).toEqual([]);
    expect(await readdir(outside)).toEqual(['precious']);
    expect(await readdir(join(node.directory, 'kubelet', 'pods'))).toEqual([]);
  });
});

/** Lets time pass until something is so. Each step waits for real files, so the clock must not run ahead of them. */
async function advanceUntil(node: ScratchNode, isSo: () => Promise<boolean>): Promise<void> {
  for (let step = 0; step < 100; step++) {
    if (await isSo()) return;
    await node.clock.advance(1000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('it never was so');
}
