import { expect, it } from 'vitest';
import { NodeInfo } from '../framework/node-info.ts';
import { PodInfo } from '../framework/pod-info.ts';
import { CountsCache } from './counts-cache.ts';
import type { CountPods } from './domain-counts.ts';
import { NodeTable } from './node-table.ts';

const countPods: CountPods = ({ pods }) => pods.length;

function cluster() {
  const nodes = ['z1', 'z1', 'z2'].map(
    (zone, i) => new NodeInfo({ metadata: { name: `node${i}`, labels: { zone, rack: 'r' } } }),
  );
  nodes[0]!.addPod(new PodInfo({ metadata: { name: 'p', uid: 'p' } }));
  const table = new NodeTable();
  table.sync(nodes);
  return { nodes, table };
}

it('counts only what changed', () => {
  const { nodes, table } = cluster();
  const cache = new CountsCache(table);
  const counted: string[] = [];
  const count = () => (node: NodeInfo) => {
    counted.push(node.name);
    return countPods(node);
  };
  expect(cache.get('key', 'zone', count).at(1)).toBe(1);
  expect(counted.splice(0)).toEqual(['node0', 'node1', 'node2']);

  const changed = nodes[1]!.clone();
  changed.addPod(new PodInfo({ metadata: { name: 'q', uid: 'q' } }));
  changed.generation++;
  table.sync([nodes[0]!, changed, nodes[2]!]);
  const counts = cache.get('key', 'zone', count);
  expect([counts.at(0), counts.at(1), counts.at(2), counts.fewest(), counts.domains]).toEqual([2, 2, 0, 0, 2]);
  expect(counted).toEqual(['node1']);
});

it('evicts the least recently used counts, and releases a domain index with its last user', () => {
  const { table } = cluster();
  const cache = new CountsCache(table, 2);
  const get = (key: string, topologyKey: string) => cache.get(key, topologyKey, () => countPods);
  const first = get('first', 'zone');
  const second = get('second', 'rack');
  expect(get('first', 'zone')).toBe(first);
  get('third', 'zone');
  expect(get('first', 'zone')).toBe(first);
  expect(get('second', 'rack')).not.toBe(second);
  expect(table.acquire('zone')).toBe(first.index);
  expect(table.acquire('rack')).not.toBe(second.index);
});

it('throws for nodes that are not in the snapshot', () => {
  expect(() => cluster().table.row('other')).toThrow('the node other is not in the snapshot');
});

it('computes the smallest count of a domain with hypothetical changes', () => {
  const { table } = cluster();
  const counts = new CountsCache(table).get('key', 'zone', () => countPods);
  const [one, other] = [counts.index.domain(0), counts.index.domain(2)];
  expect([one, other].map((domain) => counts.count(domain))).toEqual([1, 0]);
  expect(counts.fewest(new Map([[other, 3]]))).toBe(1);
  expect(counts.fewest(new Map([[one, -2]]))).toBe(-1);
  expect(
    counts.fewest(
      new Map([
        [one, 4],
        [other, 3],
      ]),
    ),
  ).toBe(3);
});
