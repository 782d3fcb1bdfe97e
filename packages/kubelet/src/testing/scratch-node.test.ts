import { access, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { findCgroups, newCgroupName } from '@coxswain/linux';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScratchNode } from './scratch-node.ts';

const problem = process.getuid?.() === 0 ? undefined : 'cgroups need root';
if (problem) console.warn(`SKIPPED: tests of a scratch node. ${problem}`);

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

describe.skipIf(problem)('a scratch node', () => {
  let parent: string;
  let directory: string;
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'cox-scratch-'));
    directory = `${parent}-node`;
  });
  afterEach(() => rm(parent, { recursive: true }));
  const create = (): Promise<ScratchNode> =>
    ScratchNode.create({
      ...{ name: 'scratch', directory, runtimeEndpoint: 'unix:///nowhere.sock', port: 12345 },
      ...{ clientCA: 'CA', kubeconfig: '/nowhere/kubeconfig', configuration: { maxPods: 7 } },
    });

  it('gives a kubelet flags, a configuration and a cgroup of its own', async () => {
    const node = await create();
    try {
      expect(node.flags).toContain('--hostname-override=scratch');
      const file = node.flags.find((flag) => flag.startsWith('--config='))?.slice('--config='.length) ?? '';
      const { cgroupRoot, authentication, ...others } = JSON.parse(await readFile(file, 'utf8'));
      expect(others).toMatchObject({ port: 12345, maxPods: 7, staticPodPath: node.manifests });
      expect(await readFile(authentication.x509.clientCAFile, 'utf8')).toBe('CA');
      const cgroups = await findCgroups({ driver: 'cgroupfs' });
      expect(await cgroups.exists(newCgroupName([], basename(cgroupRoot)))).toBe(true);
    } finally {
      await node.remove();
    }
  });

  it('takes back settings of the machine that a kubelet has changed, and leaves nothing', async () => {
    const setting = '/proc/sys/kernel/panic';
    const before = await readFile(setting, 'utf8');
    const node = await create();
    await writeFile(setting, String(Number(before) + 1));
    await node.remove();
    expect(await readFile(setting, 'utf8')).toBe(before);
    expect(await isThere(directory)).toBe(false);
    const cgroups = await findCgroups({ driver: 'cgroupfs' });
    expect(await cgroups.exists(newCgroupName([], basename(directory)))).toBe(false);
    expect((await readdir(tmpdir())).filter((name) => name.startsWith(basename(parent)))).toEqual([basename(parent)]);
  });
});
