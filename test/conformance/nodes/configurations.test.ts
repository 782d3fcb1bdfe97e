import { describe, expect, it } from 'vitest';
import { pauseImage } from '../images/recipes.ts';
import { cniConfiguration, containerdConfiguration, kubeletConfiguration, mountScript } from './configurations.ts';
import { containerdKinds } from './containerd-kind.ts';
import { ownDirectories, planNodes } from './topology.ts';

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

it('directories are mounted before mounts are propagated, and then the program runs', () => {
  const lines = mountScript(node!, ownDirectories).split('\n');
  expect(lines).toContain('mount --bind /var/lib/coxswain-nodes/node1/kubelet /var/lib/kubelet');
  expect(lines.slice(-2)).toEqual(['mount --make-rshared /', 'exec "$@"']);
});
