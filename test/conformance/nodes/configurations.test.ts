import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { pauseImage } from '../images/recipes.ts';
import { cniConfiguration, containerdConfiguration, kubeletConfiguration, mountScript } from './configurations.ts';
import { containerdKinds } from './containerd-kind.ts';
import { ownDirectories, ownTmpfs, planNodes, stateDirectory } from './topology.ts';

const run = promisify(execFile);

const [node] = planNodes(1);

/** The keys of each table of a TOML text. Throws when a table is there twice, which containerd refuses. */
function tablesOf(toml: string): Map<string, string[]> {
  const tables = new Map<string, string[]>([['', []]]);
  let table = '';
  for (const line of toml.split('\n').map((text) => text.trim())) {
    const heading = /^\[(.+)\]$/.exec(line)?.[1];
    if (heading !== undefined) {
      if (tables.has(heading)) throw new Error(`${heading} is there twice`);
      table = heading;
      tables.set(table, []);
    } else if (line !== '') tables.get(table)!.push(line);
  }
  return tables;
}

describe.each(containerdKinds)('containerd (%s)', (kind) => {
  const toml = containerdConfiguration(kind);

  it('has every table once, and asks for our pause image and registry', () => {
    const all = [...tablesOf(toml).values()].flat().join('\n');
    expect(all).toContain(`= "${pauseImage}"`);
    expect(all).toContain('config_path = "/var/lib/coxswain-nodes/registries"');
  });

  it('keeps the network namespaces of pods where they are gone with the node', () => {
    expect(toml).toContain('netns_mounts_under_state_dir = true');
  });
});

it('pods of a node have addresses of its range', () => {
  expect(JSON.stringify(cniConfiguration(node!))).toContain('"subnet":"10.244.1.0/24"');
});

it('the kubelet puts pods into the cgroup of its node, where they are found', () => {
  const files = { clientCA: '/ca', resolvConf: '/resolv.conf' };
  expect(kubeletConfiguration(node!, files)).toMatchObject({ cgroupRoot: '/coxn-node1', cgroupDriver: 'cgroupfs' });
});

it('a node has its own directories in file systems of its own, and then the program runs', () => {
  const lines = mountScript(node!).split('\n');
  expect(lines).toContain('mount --bind /var/lib/coxswain-nodes/node1/kubelet /var/lib/kubelet');
  expect(lines.slice(-2)).toEqual(['mount --make-rshared /', 'exec "$@"']);
  for (const target of Object.values(ownDirectories)) {
    expect(ownTmpfs.some((path) => target.startsWith(`${path}/`))).toBe(true);
  }
});

const problem = process.platform !== 'linux' || process.getuid?.() !== 0 ? 'it needs root on Linux' : undefined;
if (problem) console.warn(`mount namespaces of nodes are not tried for real: ${problem}`);

it.skipIf(problem)('mounts of a node stay when their directories are removed on the machine', async () => {
  const state = await mkdtemp(`${stateDirectory}-test-`);
  const directory = join(state, 'node1');
  try {
    for (const name of Object.keys(ownDirectories)) await mkdir(join(directory, name), { recursive: true });
    await writeFile(join(directory, 'kubelet', 'here'), '');
    const show =
      'ls /var/lib/kubelet; grep -c " /var/lib/kubelet " /proc/self/mountinfo; ls /var/lib; ls -d "$0"/node1';
    const isolated = ['--mount', '--propagation', 'private', 'sh', '-c', mountScript({ directory })];
    const { stdout } = await run('unshare', [...isolated, 'sh', 'sh', '-c', show, state]);
    // Nothing of the machine's own /var/lib is there, so nobody there can remove what a mount is on.
    expect(stdout.split('\n')).toEqual([
      'here',
      '1',
      'cni',
      'cni-networks',
      'containerd',
      basename(state),
      'kubelet',
      directory,
      '',
    ]);
  } finally {
    await rm(state, { recursive: true, force: true });
  }
});
