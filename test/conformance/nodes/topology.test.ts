import { expect, it } from 'vitest';
import { bridge, namePrefix, networkCommands, planNodes, stateDirectory } from './topology.ts';

it('nodes share no name, address or directory', () => {
  const nodes = planNodes(3);
  for (const property of ['name', 'address', 'podCIDR', 'netns', 'veth', 'cgroup', 'directory'] as const) {
    expect(new Set(nodes.map((node) => node[property])).size).toBe(3);
  }
});

it('everything has a name by which it is found again, and interfaces a possible one', () => {
  for (const { netns, veth, cgroup, directory } of planNodes(100)) {
    for (const name of [netns, veth, cgroup.slice(1)]) expect(name.startsWith(namePrefix)).toBe(true);
    expect(veth.length).toBeLessThanOrEqual(15);
    expect(directory.startsWith(`${stateDirectory}/`)).toBe(true);
  }
  expect(bridge.startsWith(namePrefix)).toBe(true);
});

it('each node has a route to the pods of every other', () => {
  const commands = networkCommands(planNodes(2)).map((words) => words.join(' '));
  expect(commands).toContain('nsenter --net=/run/netns/coxn-node1 ip route add 10.244.2.0/24 via 10.200.0.12');
  expect(commands).toContain('nsenter --net=/run/netns/coxn-node2 ip route add 10.244.1.0/24 via 10.200.0.11');
  expect(commands).not.toContain('nsenter --net=/run/netns/coxn-node1 ip route add 10.244.1.0/24 via 10.200.0.11');
});

it('the machine has routes to all pods and to services', () => {
  const commands = networkCommands(planNodes(2)).map((words) => words.join(' '));
  expect(commands).toEqual(
    expect.arrayContaining([
      'ip route add 10.244.1.0/24 via 10.200.0.11',
      'ip route add 10.244.2.0/24 via 10.200.0.12',
      'ip route add 10.96.0.0/16 via 10.200.0.11',
    ]),
  );
});

it.each([0, 101, 1.5, Number.NaN])('refuses %d nodes', (count) => {
  expect(() => planNodes(count)).toThrow('are not possible');
});
