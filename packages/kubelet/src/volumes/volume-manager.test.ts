import { mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { HostPathVolumeSource, Pod } from '@coxswain/api/core/v1';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { canMount, podWith, ScratchNode } from './testing/scratch-node.test-data.ts';

const b64 = (text: string): string => Buffer.from(text).toString('base64');
const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o7777).toString(8);
const visibleIn = async (directory: string): Promise<string[]> =>
  (await readdir(directory)).filter((name) => !name.startsWith('..'));

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

  it('of hosts are checked to be of their type, and made where the type says so', async () => {
    const path = (name: string): string => join(node.directory, name);
    await mkdir(path('directory'));
    await writeFile(path('file'), '');
    const socket = createServer().listen(path('socket'));
    const there = {
      Directory: path('directory'),
      DirectoryOrCreate: path('made/directory'),
      File: path('file'),
      FileOrCreate: path('made-file'),
      Socket: path('socket'),
      CharDevice: '/dev/null',
      '': path('nothing'),
    };
    const volumes = (paths: Readonly<Record<string, string>>) =>
      Object.entries(paths).map(([type, of]) => ({
        name: `host-${type.toLowerCase()}`,
        hostPath: { path: of, type: type as HostPathVolumeSource['type'] },
      }));
    expect(await node.manager().mount(podWith(volumes(there)), node.signal)).toEqual([]);
    expect((await stat(path('made/directory'))).isDirectory()).toBe(true);
    expect((await stat(path('made-file'))).isFile()).toBe(true);
    socket.close();

    const others = { Directory: '/dev/null', File: '/', Socket: '/', CharDevice: '/', BlockDevice: '/dev/null' };
    const failed = (type: string, of: string, what: string): string =>
      `MountVolume.SetUp failed for volume "host-${type}" : hostPath type check failed: ${of} is not a ${what}`;
    const pod = { ...podWith(volumes(others)), metadata: { name: 'other', namespace: 'ns', uid: 'u2' } };
    expect(await node.manager().mount(pod, node.signal)).toEqual([
      failed('blockdevice', '/dev/null', 'block device'),
      failed('chardevice', '/', 'character device'),
      failed('directory', '/dev/null', 'directory'),
      failed('file', '/', 'file'),
      failed('socket', '/', 'socket file'),
    ]);
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
    node.run(manager);
    node.configMaps.set('settings', { metadata: {}, data: { b: '2', c: '2' } });
    await afterRefresh(node, async () => {
      expect(await visibleIn(volume('configmap', 'config'))).toEqual(['b', 'c']);
    });
    expect(await readFile(volume('configmap', 'config', 'b'), 'utf8')).toBe('2');
    const changed: Pod = { ...pod, metadata: { ...pod.metadata, labels: { app: 'b' } } };
    manager.observe(changed);
    // No time passes.
    await vi.waitFor(async () => {
      expect(await readFile(volume('downward-api', 'info', 'labels'), 'utf8')).toBe('app="b"');
    });
    node.configMaps.delete('settings');
    await afterRefresh(node, async () => expect(node.problems).not.toEqual([]));
    expect(node.problems[0]).toBe('MountVolume.SetUp failed for volume "config" : configmap "settings" not found');
    expect(await readFile(volume('configmap', 'config', 'b'), 'utf8')).toBe('2');
    // Containers can be started again with what there was.
    expect(await manager.mount(changed, node.signal)).toEqual([]);
  });

  it('that are claimed are those of their PersistentVolumes, with the group that these ask for', async () => {
    const path = join(node.directory, 'disks', 'pvc-1');
    const metadata = { name: 'data', namespace: 'ns', uid: 'claim-uid' };
    node.claims.set('data', { metadata, spec: { volumeName: 'pvc-1' }, status: { phase: 'Bound' } });
    const claimRef = { uid: 'claim-uid' };
    const annotations = {
      'pv.beta.kubernetes.io/gid': '1234',
      'pv.kubernetes.io/provisioned-by': 'coxswain.dev/host-path',
    };
    node.volumes.set('pvc-1', {
      metadata: { name: 'pvc-1', annotations },
      spec: { claimRef, hostPath: { path, type: 'DirectoryOrCreate' } },
    });
    const pod = podWith([{ name: 'data', persistentVolumeClaim: { claimName: 'data', readOnly: true } }]);
    const manager = node.manager();
    expect(await manager.mount(pod, node.signal)).toEqual([]);
    expect(await manager.mountsOf(pod, pod.spec!.containers[0]!, context)).toMatchObject([
      { containerPath: '/data', hostPath: path, readonly: true },
    ]);
    expect(manager.supplementalGroups('uid-1')).toEqual([1234]);
    // Containers that are not root must be able to write to it.
    expect(await modeOf(path)).toBe('777');
    expect(await readdir(join(path, '..'))).toEqual(['pvc-1']);
    await manager.unmount(pod, node.signal);
    // The disk belongs to the claim, not to the pod.
    expect(await readdir(path)).toEqual([]);
    node.volumes.set('pvc-1', {
      metadata: { name: 'pvc-1' },
      spec: { claimRef, csi: { driver: 'd', volumeHandle: 'h' } },
    });
    expect(await node.manager().mount(pod, node.signal)).toEqual([
      'Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process volumes=[data]: failed to get Plugin from volumeSpec for volume "pvc-1" err=no volume plugin matched: volumes of type csi are not supported by this kubelet',
    ]);
    node.volumes.set('pvc-1', {
      metadata: { name: 'pvc-1' },
      spec: { claimRef, volumeMode: 'Block', local: { path } },
    });
    expect(await node.manager().mount(pod, node.signal)).toEqual([
      expect.stringMatching(/: volume data has volumeMode Block, but is specified in volumeMounts$/),
    ]);
    node.volumes.set('pvc-1', { metadata: { name: 'pvc-1' }, spec: { claimRef: { uid: 'other' } } });
    expect(await node.manager().mount(pod, node.signal)).toEqual([
      'Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process volumes=[data]: error processing PVC ns/data: found PV object pvc-1 but its pv.Spec.ClaimRef.UID other does not point to claim.UID claim-uid',
    ]);
  });

  it('that are local are mounted for each pod, and belong to the group of the first', async () => {
    const path = join(node.directory, 'disk');
    await mkdir(path);
    await writeFile(join(path, 'file'), 'content', { mode: 0o600 });
    await symlink('/etc/passwd', join(path, 'link'));
    node.claims.set('data', {
      metadata: { name: 'data', namespace: 'ns', uid: 'claim-uid' },
      spec: { volumeName: 'disk-1' },
      status: { phase: 'Bound' },
    });
    node.volumes.set('disk-1', {
      metadata: { name: 'disk-1' },
      spec: { claimRef: { uid: 'claim-uid' }, local: { path } },
    });
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
    const first = podWith(volumes, { securityContext: { fsGroup: 2000 } });
    const second = podWith(volumes, { securityContext: { fsGroup: 3000 } });
    const other = { ...second, metadata: { ...second.metadata, uid: 'uid-2' } };
    const manager = node.manager();
    expect(await manager.mount(first, node.signal)).toEqual([]);
    expect(await manager.mount(first, node.signal)).toEqual([]);
    expect(await manager.mount(other, node.signal)).toEqual([]);
    expect(await node.mountPoints()).toHaveLength(2);
    const { gid, mode } = await stat(volume('local-volume', 'disk-1', 'file'));
    expect([gid, (mode & 0o777).toString(8)]).toEqual([2000, '660']);
    expect((await stat('/etc/passwd')).gid).toBe(0);
    expect(await modeOf(path)).toBe('2775');
    await manager.remove('uid-1');
    await manager.remove('uid-2');
    expect(await node.mountPoints()).toEqual([]);
    expect(await readFile(join(path, 'file'), 'utf8')).toBe('content');
  });

  it('for one user are readable by that user alone, and for a group by the group', async () => {
    const sources = [{ serviceAccountToken: { path: 'token', expirationSeconds: 3600 } }];
    const volumes = [{ name: 'token', projected: { defaultMode: 0o644, sources } }];
    const ownerOf = async (): Promise<unknown> => {
      const { uid, gid, mode } = await stat(volume('projected', 'token', 'token'));
      return [uid, gid, (mode & 0o777).toString(8)];
    };
    const manager = node.manager();
    await manager.mount(podWith(volumes), node.signal);
    expect(await ownerOf()).toEqual([0, 0, '644']);
    await manager.remove('uid-1');
    await manager.mount(podWith(volumes, { securityContext: { runAsUser: 1000 } }), node.signal);
    expect(await ownerOf()).toEqual([1000, 0, '600']);
    await manager.remove('uid-1');
    await manager.mount(podWith(volumes, { securityContext: { fsGroup: 2000 } }), node.signal);
    expect(await ownerOf()).toEqual([0, 2000, '640']);
  });

  it('can be mounted in parts, which never lead out of them', async () => {
    await mkdir(join(node.directory, 'outside'));
    node.configMaps.set('settings', { metadata: {}, data: { 'a.conf': 'a' } });
    const pod = podWith([
      { name: 'disk', emptyDir: {} },
      { name: 'config', configMap: { name: 'settings', defaultMode: 0o644 } },
    ]);
    const manager = node.manager();
    await manager.mount(pod, node.signal);
    await symlink(join(node.directory, 'outside'), volume('empty-dir', 'disk', 'evil'));
    const mountsOf = async (mount: object) => {
      const container = { name: 'main', volumeMounts: [{ name: 'disk', mountPath: '/m', ...mount }] };
      return await manager.mountsOf(pod, container, { ...context, env: new Map([['POD', 'p-1']]) });
    };
    const [made] = await mountsOf({ subPathExpr: 'logs/$(POD)' });
    expect(made?.hostPath).toBe(join(node.podDirectory(), 'volume-subpaths', 'disk', 'main', '0'));
    await writeFile(join(made!.hostPath!, 'log'), 'line');
    expect(await readFile(volume('empty-dir', 'disk', 'logs', 'p-1', 'log'), 'utf8')).toBe('line');
    const [file] = await mountsOf({ name: 'config', subPath: 'a.conf' });
    expect(await readFile(file!.hostPath!, 'utf8')).toBe('a');
    await expect(mountsOf({ subPath: 'evil' })).rejects.toThrow(
      'failed to prepare subPath for volumeMount "disk" of container "main"',
    );
    await expect(mountsOf({ subPath: 'evil/deeper' })).rejects.toThrow(
      'failed to create subPath directory for volumeMount "disk" of container "main"',
    );
    await expect(mountsOf({ subPath: '../disk' })).rejects.toThrow("must not contain '..'");
    await expect(mountsOf({ subPath: '/etc' })).rejects.toThrow('error SubPath `/etc` must not be an absolute path');
    await expect(mountsOf({ subPathExpr: '$(NONE)' })).rejects.toThrow('missing value for NONE');
    await expect(mountsOf({ name: 'none' })).rejects.toThrow(
      'cannot find volume "none" to mount into container "main"',
    );
    expect(await readdir(join(node.directory, 'outside'))).toEqual([]);
    await manager.unmount(pod, node.signal);
    expect(await node.mountPoints()).toEqual([]);
    expect(await readdir(node.podDirectory())).toEqual(['plugins']);
  });

  it('are mounted as their containers ask', async () => {
    const pod = podWith([
      { name: 'disk', emptyDir: {} },
      { name: 'image', image: { reference: 'registry/image:1' } },
    ]);
    const manager = node.manager();
    const mountOf = async (mount: object) => {
      const container = { name: 'main', volumeMounts: [{ name: 'disk', mountPath: '/m', ...mount }] };
      return (
        await manager.mountsOf(pod, container, { ...context, imageVolumes: new Map([['image', { ref: 'sha' }]]) })
      )[0];
    };
    expect(await mountOf({ mountPropagation: 'Bidirectional' })).toMatchObject({
      propagation: 'PROPAGATION_BIDIRECTIONAL',
    });
    expect(await mountOf({ mountPropagation: 'HostToContainer' })).toMatchObject({
      propagation: 'PROPAGATION_HOST_TO_CONTAINER',
    });
    expect(await mountOf({ readOnly: true, recursiveReadOnly: 'Enabled' })).toMatchObject({ recursiveReadOnly: true });
    await expect(mountOf({ recursiveReadOnly: 'Enabled' })).rejects.toThrow(
      'failed to resolve recursive read-only mode: volume "disk" requested recursive read-only mode, but it is not read-only',
    );
    node.supportsRecursiveReadOnly = false;
    expect(await mountOf({ readOnly: true, recursiveReadOnly: 'IfPossible' })).toMatchObject({
      readonly: true,
      recursiveReadOnly: false,
    });
    await expect(mountOf({ readOnly: true, recursiveReadOnly: 'Enabled' })).rejects.toThrow(
      'but it is not supported by the runtime',
    );
    expect(await mountOf({ name: 'image', subPath: 'etc' })).toEqual({
      containerPath: '/m',
      image: { image: 'sha', userSpecifiedImage: 'registry/image:1' },
      imageSubPath: 'etc',
      readonly: true,
      recursiveReadOnly: false,
      propagation: 'PROPAGATION_PRIVATE',
    });
  });

  it('tell how full they are, without counting anew each time', async () => {
    const pod = podWith([
      { name: 'disk', emptyDir: {} },
      { name: 'host', hostPath: { path: '/' } },
    ]);
    const manager = node.manager();
    await manager.mount(pod, node.signal);
    await writeFile(volume('empty-dir', 'disk', 'file'), Buffer.alloc(100_000));
    const [disk, ...others] = await manager.stats('uid-1');
    expect(others).toEqual([]);
    expect(disk).toMatchObject({ name: 'disk', inodesUsed: 2, capacityBytes: 32 * 1024 * 1024 });
    expect(disk!.usedBytes).toBeGreaterThanOrEqual(100_000);
    await writeFile(volume('empty-dir', 'disk', 'more'), '');
    expect(await manager.stats('uid-1')).toEqual([disk]);
    await node.clock.advance(60_000);
    await vi.waitFor(async () => expect(await manager.stats('uid-1')).toMatchObject([{ inodesUsed: 3 }]));
    await manager.unmount(pod, node.signal);
    expect(await manager.stats('uid-1')).toEqual([]);
  });

  it('of a pod whose UID is a path are refused', async () => {
    const pod = podWith([{ name: 'disk', emptyDir: {} }]);
    const evil = { ...pod, metadata: { ...pod.metadata, uid: '../../escaped' } };
    const manager = node.manager();
    expect(await manager.mount(evil, node.signal)).toEqual([
      'MountVolume.SetUp failed for volume "disk" : "../../escaped" cannot be the name of a directory',
    ]);
    await expect(manager.remove('..')).rejects.toThrow('".." cannot be the name of a directory');
    expect(await readdir(node.directory)).toEqual([]);
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

/** Lets the time pass after which volumes are refreshed, and waits until they are. */
async function afterRefresh(node: ScratchNode, expectation: () => Promise<void>): Promise<void> {
  for (let second = 0; second < 60; second++) await node.clock.advance(1000);
  await vi.waitFor(expectation, { timeout: 5000, interval: 5 });
}
