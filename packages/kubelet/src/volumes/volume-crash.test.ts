import * as nodeFiles from 'node:fs/promises';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Crash } from './testing/crash.test-data.ts';
import { canMount, podWith, ScratchNode } from './testing/scratch-node.test-data.ts';

if (!canMount) console.warn('Skipped: tests of volumes and crashes need root on Linux.');

const context = { env: new Map<string, string>(), imageVolumes: new Map() };

describe.skipIf(!canMount)('a kubelet that is killed at any step', () => {
  let node: ScratchNode;
  beforeEach(async () => {
    node = await ScratchNode.start();
    setSecret('old');
  });
  afterEach(() => node.remove());

  const setSecret = (text: string): void => {
    const data = { word: Buffer.from(text).toString('base64') };
    node.secrets.set('password', { metadata: {}, type: 'Opaque', data });
  };

  const basicPod = podWith(
    [
      { name: 'disk', emptyDir: {} },
      { name: 'secret', secret: { secretName: 'password', defaultMode: 0o440 } },
    ],
    { securityContext: { fsGroup: 2000 } },
  );
  const container = {
    name: 'main',
    volumeMounts: [
      { name: 'disk', mountPath: '/disk', subPath: 'part' },
      { name: 'secret', mountPath: '/secret' },
    ],
  };
  const pod = { ...basicPod, spec: { ...basicPod.spec, containers: [container] } };

  const path = (...names: string[]): string => join(node.podDirectory(), 'volumes', ...names);
  const secretFile = (): string => path('kubernetes.io~secret', 'secret', 'word');

  /** Does the same again and again, with a crash one call later each time, until it gets to its end. */
  async function crashingEverywhere(
    work: (crash: Crash) => Promise<unknown>,
    afterwards: () => Promise<void>,
  ): Promise<void> {
    for (let calls = 0; ; calls++) {
      const crash = new Crash(calls);
      await work(crash).catch(() => undefined);
      await afterwards();
      if (!crash.hasHappened) {
        expect(calls).toBeGreaterThan(10);
        return;
      }
    }
  }

  const crashing = (crash: Crash) => node.manager({ files: crash.files(nodeFiles), host: crash.host(node.host) });

  it('while it mounts, mounts the rest when it is started again', { timeout: 60_000 }, async () => {
    await crashingEverywhere(
      async (crash) => {
        const manager = crashing(crash);
        await manager.mount(pod, node.signal);
        await manager.mountsOf(pod, container, context);
      },
      async () => {
        const manager = node.manager();
        expect(await manager.mount(pod, node.signal)).toEqual([]);
        expect(await manager.mountsOf(pod, container, context)).toHaveLength(2);
        expect(await node.mountPoints()).toHaveLength(2);
        expect(await readFile(secretFile(), 'utf8')).toBe('old');
        const { gid, mode } = await stat(secretFile());
        expect([gid, (mode & 0o777).toString(8)]).toEqual([2000, '440']);
        expect((await stat(path('kubernetes.io~empty-dir', 'disk'))).gid).toBe(2000);
        await manager.remove('uid-1');
        expect(await node.mountPoints()).toEqual([]);
      },
    );
  });

  it('while it updates a volume, leaves the old contents or the new ones', { timeout: 60_000 }, async () => {
    await node.manager().mount(pod, node.signal);
    let round = 0;
    await crashingEverywhere(
      async (crash) => {
        setSecret(`new-${++round}`);
        await crashing(crash).mount(pod, node.signal);
      },
      async () => {
        expect([`new-${round}`, round === 1 ? 'old' : `settled-${round - 1}`]).toContain(
          await readFile(secretFile(), 'utf8'),
        );
        setSecret(`settled-${round}`);
        expect(await node.manager().mount(pod, node.signal)).toEqual([]);
        expect(await readFile(secretFile(), 'utf8')).toBe(`settled-${round}`);
        // Nothing is left of the one that was interrupted.
        expect(await readdir(path('kubernetes.io~secret', 'secret'))).toHaveLength(3);
      },
    );
  });

  it('while it removes a pod, removes the rest when it is started again', { timeout: 60_000 }, async () => {
    await crashingEverywhere(
      async (crash) => {
        const manager = node.manager();
        await manager.mount(pod, node.signal);
        await manager.mountsOf(pod, container, context);
        await writeFile(path('kubernetes.io~empty-dir', 'disk', 'part', 'file'), '');
        const crashed = crashing(crash);
        await crashed.unmount(pod, node.signal);
        await crashed.remove('uid-1');
      },
      async () => {
        await node.manager().remove('uid-1');
        expect(await node.mountPoints()).toEqual([]);
        expect(await readdir(join(node.directory, 'kubelet', 'pods'))).toEqual([]);
      },
    );
  });
});
