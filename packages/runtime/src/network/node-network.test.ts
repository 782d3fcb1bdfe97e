import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@coxswain/apimachinery/clock';
import { silentLogger } from '@coxswain/apimachinery/log';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { describePodNetwork, testRanges } from './contract/describe-pod-network.test-data.ts';
import { networkTestProblem, TestMachine } from './contract/test-machine.test-data.ts';
import { testPod } from './contract/test-pod.test-data.ts';
import { NodeNetwork, type NodeNetworkOptions } from './node-network.ts';

const pluginPath = ['/opt/cni/bin', '/usr/lib/cni', '/usr/libexec/cni'].filter((path) =>
  existsSync(join(path, 'bridge')),
);
const pluginProblem =
  networkTestProblem('nft', 'iptables') ?? (pluginPath.length === 0 ? 'no CNI plug-ins' : undefined);

const newNetwork = ({ commands, directory }: TestMachine, options: Partial<NodeNetworkOptions> = {}): NodeNetwork =>
  new NodeNetwork({
    commands,
    clock: systemClock,
    logger: silentLogger,
    stateDirectory: join(directory, 'state'),
    configurationDirectory: join(directory, 'net.d'),
    pluginPath,
    name: 'test',
    bridge: 'coxt0',
    ...testRanges,
    ...options,
  });

async function removeEverything(network: unknown): Promise<void> {
  if (network instanceof NodeNetwork) await network.removeEverything();
}

/** A firewall such as Docker and ufw set up. */
const dropForwarded = async (machine: TestMachine): Promise<void> => {
  await machine.sh(
    machine.node,
    'nft add table ip filter; nft "add chain ip filter FORWARD { type filter hook forward priority 0; policy drop; }"; nft add table ip6 filter; nft "add chain ip6 filter FORWARD { type filter hook forward priority 0; policy drop; }"',
  );
};

describePodNetwork('NodeNetwork by CNI plug-ins, where forwarded packets are dropped', pluginProblem, {
  start: async (machine) => newNetwork(machine),
  removeEverything,
  before: dropForwarded,
});

describePodNetwork('NodeNetwork without plug-ins', networkTestProblem('nft'), {
  start: async (machine) => newNetwork(machine, { pluginPath: [] }),
  removeEverything,
});

const problem = networkTestProblem('nft');

describe.skipIf(problem !== undefined)(`NodeNetwork${problem ? ` (${problem})` : ''}`, () => {
  let machine: TestMachine;
  const file = (): string => join(machine.directory, 'net.d', '99-coxswain.conflist');

  beforeAll(async () => {
    machine = await TestMachine.start();
  });
  afterEach(async () => {
    await newNetwork(machine).removeEverything();
  });
  afterAll(() => machine.stop());

  it('waits for the range of the addresses of pods, and takes another one', async () => {
    const network = newNetwork(machine, { podCIDR: undefined, pluginPath: [] });
    expect(await network.problem()).toBe('no pod CIDR was given to this node');
    await network.setPodCIDR('10.77.3.0/24');
    expect(await network.problem()).toBeUndefined();
    const a = testPod('a', await machine.pod('a'));
    expect(await network.setUp(a)).toEqual({ ips: ['10.77.3.2'] });
    await network.setPodCIDR('10.77.4.0/24');
    const b = testPod('b', await machine.pod('b'));
    expect(await network.setUp(b)).toEqual({ ips: ['10.77.4.2'] });
    await machine.serve(machine.remote, 8080);
    for (const pod of [a, b]) expect(await machine.ask('tcp', pod.netns, '192.0.2.2', 8080)).toBe('192.0.2.1');
    await machine.serve(b.netns, 8080);
    expect(await machine.ask('tcp', a.netns, '10.77.4.2', 8080)).toBe('10.77.3.2');
  });

  it('stays with the built-in bridge while there are pods at it', async () => {
    const without = newNetwork(machine, { pluginPath: [] });
    const a = testPod('a', await machine.pod('a'));
    await without.setUp(a);
    const network = newNetwork(machine);
    expect(await network.problem()).toBeUndefined();
    expect(existsSync(file())).toBe(false);
    await network.tearDown(a);
  });

  it.skipIf(pluginProblem !== undefined)(
    'writes a configuration, rewrites its own, and keeps that of a person',
    async () => {
      await newNetwork(machine).problem();
      const text = await readFile(file(), 'utf8');
      expect(JSON.parse(text)).toMatchObject({
        name: 'test',
        plugins: [{ type: 'bridge', ipMasq: false }, { type: 'portmap' }, {}],
      });
      await newNetwork(machine, { podCIDR: '10.77.9.0/24' }).problem();
      expect(await readFile(file(), 'utf8')).toBe(
        text
          .replace('10.77.1.0/24', '10.77.9.0/24')
          .replace(/,\s*\[\s*\{\s*"subnet": "fd77[^\]]*\]/, '')
          .replace(/,\s*\{\s*"dst": "::\/0"\s*\}/, ''),
      );
      const edited = text.replace('"isGateway": true', '"isGateway": true, "mtu": 1400');
      await writeFile(file(), edited);
      await newNetwork(machine).problem();
      expect(await readFile(file(), 'utf8')).toBe(edited);
      await newNetwork(machine).removeEverything();
      expect(await readFile(file(), 'utf8')).toBe(edited);
      await rm(file());
    },
  );

  it('uses a network that somebody has installed, and takes its own away', async () => {
    const network = newNetwork(machine, { pluginPath: [] });
    const a = testPod('a', await machine.pod('a'));
    await network.setUp(a);
    await mkdir(join(machine.directory, 'net.d'), { recursive: true });
    const installed = join(machine.directory, 'net.d', '10-other.conflist');
    await writeFile(
      installed,
      JSON.stringify({ cniVersion: '1.0.0', name: 'other', plugins: [{ type: 'no-such-plugin' }] }),
    );
    expect(await network.problem()).toBe('failed to find plugin "no-such-plugin" in path []');
    await network.tearDown(a);
    expect(await machine.sh(machine.node, 'ip -oneline link')).toContain('coxt0');
    // After a restart of the node agent.
    await newNetwork(machine, { pluginPath: [] }).problem();
    expect(await machine.sh(machine.node, 'ip -oneline link; nft list tables')).not.toMatch(/coxt0|coxswain/);
    await writeFile(installed, '');
    expect(await network.problem()).toBeUndefined();
  });

  it('gives pods no address of IPv6 where the kernel lacks it', async () => {
    const commands = {
      run: (argv: readonly string[]) =>
        argv[0] === 'test' ? Promise.resolve({ status: 1, output: '' }) : machine.commands.run(argv),
      close: () => {},
    };
    const network = newNetwork(machine, { commands, pluginPath: [] });
    expect(await network.setUp(testPod('a', await machine.pod('a')))).toEqual({ ips: ['10.77.1.2'] });
  });

  it('limits the bandwidth of a pod without plug-ins', async () => {
    const network = newNetwork(machine, { pluginPath: [] });
    const annotations = { 'kubernetes.io/ingress-bandwidth': '10M', 'kubernetes.io/egress-bandwidth': '20M' };
    const a = { ...testPod('a', await machine.pod('a')), annotations };
    const { ips } = await network.setUp(a);
    expect(await machine.sh(machine.node, 'tc qdisc show')).toMatch(/dev cx[0-9a-f]{12} root .* rate 10Mbit/);
    expect(await machine.sh(a.netns, 'tc qdisc show dev eth0')).toMatch(/root .* rate 20Mbit/);
    await machine.serve(a.netns, 8080);
    expect(await machine.ask('tcp', machine.node, ips[0]!, 8080)).toBe('10.77.1.1');
  });

  it('connects a pod with a user namespace', async () => {
    const network = newNetwork(machine, { pluginPath: [] });
    const mappings = [{ containerID: 0, hostID: 100_000, length: 65_536 }];
    const user = { uidMappings: mappings, gidMappings: mappings };
    const { net = '' } = await machine.namespaces.make({ id: 'u', types: ['net'], user });
    const { ips } = await network.setUp(testPod('u', net));
    await machine.serve(net, 8080);
    expect(await machine.ask('tcp', machine.node, ips[0]!, 8080)).toBe('10.77.1.1');
  });

  it('reports what is missing', async () => {
    const { facts } = await newNetwork(machine, { pluginPath: [] }).report();
    expect(facts).toContain('CNI plug-ins: bridge, host-local, portmap missing');
  });

  it('writes its rules again that a firewall has flushed', async () => {
    let now = 0;
    const clock = { ...systemClock, monotonic: () => now };
    for (const options of [{ pluginPath: [] }, ...(pluginProblem === undefined ? [{}] : [])]) {
      const network = newNetwork(machine, { clock, ...options });
      expect(await network.problem()).toBeUndefined();
      await machine.sh(machine.node, 'nft flush ruleset');
      now += 31_000;
      expect(await network.problem()).toBeUndefined();
      expect(await machine.sh(machine.node, 'nft list tables')).toContain('coxswain-test');
      await network.removeEverything();
    }
  });

  const modes: readonly (readonly [string, readonly string[]])[] = [
    ['without plug-ins', []],
    ...(pluginProblem === undefined ? [['with plug-ins', pluginPath] as const] : []),
  ];
  it.each(modes)('leaves nothing of processes that were killed in the middle, %s', async (_, path) => {
    const untouched = await machine.traces();
    const pods = await Promise.all(
      Array.from({ length: 10 }, async (_, i) => testPod(`p${i}`, await machine.pod(`p${i}`))),
    );
    const cables = async (): Promise<string> =>
      machine.sh(machine.node, 'ip -oneline link show type veth | grep -v up0 || true');
    const options = { pluginPath: path, podCIDR: '10.77.1.0/24', clusterCIDR: undefined };
    for (const lines of [1, 7, 19]) {
      const program = fileURLToPath(new URL('contract/restless-node.test-data.ts', import.meta.url));
      const node = spawn(
        process.execPath,
        ['--conditions=coxswain-source', '--import=tsx', program, machine.directory, machine.node, ...path],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      let seen = 0;
      await new Promise<void>((resolve) => {
        node.on('exit', () => resolve());
        node.stdout.on('data', (text: Buffer) => {
          seen += String(text).split('\n').length - 1;
          if (seen >= lines) node.kill('SIGKILL');
        });
      });
      expect(seen).toBeGreaterThanOrEqual(lines);

      const network = newNetwork(machine, options);
      // A program that was running goes on for a moment.
      await expect.poll(async () => network.collectGarbage(new Set()).then(cables), { timeout: 30_000 }).toBe('');
      const addresses = await Promise.all(pods.map((pod) => network.setUp(pod)));
      expect(new Set(addresses.flatMap(({ ips }) => ips)).size).toBe(10);
      await Promise.all(pods.map((pod) => network.tearDown(pod)));
      expect(await cables()).toBe('');
    }
    await newNetwork(machine, options).removeEverything();
    expect(await machine.traces()).toBe(untouched);
  });
});
