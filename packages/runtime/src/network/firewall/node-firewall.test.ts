import { join } from 'node:path';
import { silentLogger } from '@coxswain/apimachinery/log';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addressRanges } from '../addresses/index.ts';
import { BridgeNetwork } from '../bridge/bridge-network.ts';
import { testRanges } from '../contract/describe-pod-network.test-data.ts';
import { networkTestProblem, TestMachine } from '../contract/test-machine.test-data.ts';
import { testPod } from '../contract/test-pod.test-data.ts';
import type { NetworkedPod } from '../pod-network.ts';
import { parseFirewalls } from './found-chains.ts';
import { NodeFirewall } from './node-firewall.ts';

/** Each firewall: how it is set up, and how it is shown and taken away. */
const firewalls = {
  'iptables in nftables whose policy is DROP': {
    up: 'for p in iptables-nft ip6tables-nft; do $p -P FORWARD DROP; $p -P INPUT DROP; done; ip6tables-nft -A INPUT -p ipv6-icmp -j ACCEPT',
    show: 'iptables-nft -S; ip6tables-nft -S',
    down: 'nft delete table ip filter; nft delete table ip6 filter',
  },
  'legacy iptables whose policy is DROP': {
    up: 'for p in iptables-legacy ip6tables-legacy; do $p -P FORWARD DROP; $p -P INPUT DROP; done; ip6tables-legacy -A INPUT -p ipv6-icmp -j ACCEPT',
    show: 'iptables-legacy -S; ip6tables-legacy -S',
    down: 'for p in iptables-legacy ip6tables-legacy; do $p -P FORWARD ACCEPT; $p -P INPUT ACCEPT; $p -F; done',
  },
  'Docker, with its chain for rules of users': {
    up: `for p in iptables-nft ip6tables-nft; do
        $p -P FORWARD DROP; $p -P INPUT DROP; $p -N DOCKER-USER; $p -N DOCKER-FORWARD
        $p -A FORWARD -j DOCKER-USER; $p -A FORWARD -j DOCKER-FORWARD; done; ip6tables-nft -A INPUT -p ipv6-icmp -j ACCEPT`,
    show: 'iptables-nft -S; ip6tables-nft -S',
    down: 'nft delete table ip filter; nft delete table ip6 filter',
  },
  'iptables that rejects at its end': {
    up: `for p in iptables-nft ip6tables-nft; do for c in FORWARD INPUT; do
        $p -A $c -p ipv6-icmp -j ACCEPT; $p -A $c -j REJECT; done; done`,
    show: 'iptables-nft -S; ip6tables-nft -S',
    down: 'nft delete table ip filter; nft delete table ip6 filter',
  },
  'a table of nftables whose policy is drop': {
    up: `nft 'table inet mine { chain forward { type filter hook forward priority 0; policy drop; }
        chain input { type filter hook input priority 0; policy drop; meta l4proto ipv6-icmp accept; }; }'`,
    show: 'nft list table inet mine',
    down: 'nft delete table inet mine',
  },
  'a table of nftables that rejects at its end': {
    up: `nft 'table inet mine { chain forward { type filter hook forward priority 0; ct state established accept; counter reject; }
        chain input { type filter hook input priority 0; meta l4proto ipv6-icmp accept; reject; }; }'`,
    show: 'nft list table inet mine | sed s/packets.*bytes.*reject/reject/',
    down: 'nft delete table inet mine',
  },
};

const problem = networkTestProblem('nft', 'iptables-nft', 'iptables-legacy');

describe.skipIf(problem !== undefined)(`NodeFirewall${problem ? ` (${problem})` : ''}`, () => {
  let machine: TestMachine;
  let network: BridgeNetwork;
  let firewall: NodeFirewall;
  let pod: NetworkedPod;
  const ranges = { podRanges: addressRanges(testRanges.podCIDR), clusterRanges: [], bridge: 'coxt0' };

  beforeAll(async () => {
    machine = await TestMachine.start();
    const { commands, directory } = machine;
    const options = { commands, logger: silentLogger };
    const stateDirectory = join(directory, 'state');
    network = new BridgeNetwork({ ...options, stateDirectory, name: 'test', bridge: 'coxt0', ...testRanges });
    firewall = new NodeFirewall({ ...options, tag: 'coxswain-test', stateDirectory: join(directory, 'firewall') });
    pod = testPod('a', await machine.pod('a'), [{ protocol: 'TCP', containerPort: 8080, hostPort: 18080, hostIP: '' }]);
    await network.setUp(pod);
    for (const netns of [pod.netns, machine.node, machine.remote]) await machine.serve(netns, 8080);
  });
  afterAll(() => machine.stop());
  let down = '';
  afterEach(async () => {
    await machine.sh(machine.node, `${down}; ip neighbour flush all`);
  });

  /** Who answers: another machine, in both families; the node; the pod, by a port of the node. */
  const answers = async (seconds?: number): Promise<readonly string[]> =>
    Promise.all([
      machine.ask('tcp', pod.netns, '192.0.2.2', 8080, seconds),
      machine.ask('tcp', pod.netns, '2001:db8::2', 8080, seconds),
      machine.ask('tcp', pod.netns, '192.0.2.1', 8080, seconds),
      machine.ask('tcp', machine.remote, '192.0.2.1', 18080, seconds),
    ]);

  it.each(Object.entries(firewalls))(
    'lets packets of pods pass %s, and leaves it as it was',
    async (_, { up, show, ...rest }) => {
      down = rest.down;
      await machine.sh(machine.node, up);
      const before = await machine.sh(machine.node, show);
      expect(await answers(1)).toEqual(['unreachable', 'unreachable', 'unreachable', 'unreachable']);

      await firewall.open(ranges);
      const opened = await machine.sh(machine.node, show);
      expect(await answers()).toEqual(['192.0.2.1', '2001:db8::1', '10.77.1.2', '192.0.2.2']);
      // Other machines do not get more than before.
      expect(await machine.isUnreachable('tcp', machine.remote, '192.0.2.1', 8080)).toBe(true);

      await firewall.open(ranges);
      expect(await machine.sh(machine.node, show)).toBe(opened);
      await firewall.open({ ...ranges, podRanges: addressRanges('10.78.1.0/24') });
      expect(await machine.sh(machine.node, show)).not.toContain('10.77.1.0');

      await firewall.removeEverything();
      expect(await machine.sh(machine.node, show)).toBe(before);
    },
  );

  it('changes nothing where packets pass anyway', async () => {
    down = 'nft delete table ip filter';
    await machine.sh(machine.node, 'iptables-nft -P FORWARD ACCEPT; iptables-nft -A FORWARD -s 192.0.2.99 -j DROP');
    const before = await machine.sh(machine.node, 'nft list ruleset');
    await firewall.open(ranges);
    expect(await machine.sh(machine.node, 'nft list ruleset')).toBe(before);
  });

  it('tells firewalld that pods are trusted, records that before, and takes it back', async () => {
    down = 'nft delete table inet firewalld';
    // Its table shows that it runs. The program is one that keeps what it is told in a file.
    await machine.sh(
      machine.node,
      "nft 'table inet firewalld { chain filter_FORWARD { type filter hook forward priority 10; }; }'",
    );
    const told: string[] = [];
    const sources = new Set(['192.0.2.0/24']);
    const commands = {
      run: async (argv: readonly string[]) => {
        if (argv[0] !== 'firewall-cmd') return machine.commands.run(argv);
        told.push(argv.slice(1).join(' '));
        const [, verb, source = ''] = /--(list|add|remove)-sources?=?(.*)/.exec(argv[2] ?? '') ?? [];
        if (verb === 'add') sources.add(source);
        if (verb === 'remove') sources.delete(source);
        return { status: 0, output: `${[...sources].join(' ')}\n` };
      },
      close: () => {},
    };
    const stateDirectory = join(machine.directory, 'firewalld');
    const other = new NodeFirewall({ commands, logger: silentLogger, tag: 'coxswain-test', stateDirectory });
    await other.open({ ...ranges, clusterRanges: addressRanges('10.77.0.0/16') });
    await other.open({ ...ranges, clusterRanges: addressRanges('10.77.0.0/16') });
    expect([...sources]).toEqual(['192.0.2.0/24', '10.77.1.0/24', 'fd77:1::/64', '10.77.0.0/16']);
    expect(told.filter((line) => line.includes('--add'))).toHaveLength(3);
    await new NodeFirewall({ commands, logger: silentLogger, tag: 'coxswain-test', stateDirectory }).removeEverything();
    expect([...sources]).toEqual(['192.0.2.0/24']);
  });
});

describe('parseFirewalls', () => {
  it('reads what the script prints', () => {
    const { chains, dockerUser, hasFirewalld } = parseFirewalls([
      'chain nft ip filter FORWARD forward drop',
      'chain nft inet mine fwd forward accept',
      'rule nft inet mine fwd ip saddr 10.0.0.0/24 accept comment "t" # handle 7',
      'rule nft inet mine fwd reject # handle 9',
      'chain nft inet firewalld filter_INPUT input accept',
      'iptables iptables-nft FORWARD -P FORWARD DROP',
      'iptables iptables-nft FORWARD -A FORWARD -j DOCKER-USER',
      '',
    ]);
    expect(chains).toEqual([
      {
        program: 'nft',
        family: 'inet',
        table: 'mine',
        chain: 'fwd',
        hook: 'forward',
        drops: true,
        tagged: ['ip saddr 10.0.0.0/24 accept comment "t" # handle 7'],
      },
      {
        program: 'iptables-nft',
        family: 'ip',
        table: 'filter',
        chain: 'FORWARD',
        hook: 'forward',
        drops: true,
        tagged: [],
      },
    ]);
    expect([...dockerUser]).toEqual(['iptables-nft']);
    expect(hasFirewalld).toBe(true);
  });
});
