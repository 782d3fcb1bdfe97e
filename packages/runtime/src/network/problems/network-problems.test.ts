import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { networkTestProblem, TestMachine } from '../contract/test-machine.test-data.ts';
import { networkProblems } from './network-problems.ts';

const problem = networkTestProblem('nft', 'iptables-nft');

describe.skipIf(problem !== undefined)(`networkProblems${problem ? ` (${problem})` : ''}`, () => {
  let machine: TestMachine;
  const examine = async () => {
    const { commands, directory } = machine;
    const resolver = { file: join(directory, 'resolv.conf'), otherFile: join(directory, 'other') };
    return await networkProblems({ commands, missingPlugins: ['portmap'], resolver });
  };
  beforeAll(async () => {
    machine = await TestMachine.start();
    await writeFile(join(machine.directory, 'resolv.conf'), 'nameserver 192.0.2.53\n');
  });
  afterAll(() => machine.stop());

  it('finds no error on a machine that has everything, and changes nothing', async () => {
    const before = await machine.traces();
    const { facts, problems } = await examine();
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(facts).toContain('CNI plug-ins: portmap missing');
    expect(facts).toContain(`name servers of pods: from ${join(machine.directory, 'resolv.conf')}`);
    expect(await machine.traces()).toBe(before);
  });

  it('names a firewall that drops packets of pods, and a resolver that they cannot reach', async () => {
    await machine.sh(machine.node, 'iptables-nft -P FORWARD DROP; iptables-nft -P INPUT DROP');
    await writeFile(join(machine.directory, 'resolv.conf'), 'nameserver 127.0.0.53\n');
    const { problems } = await examine();
    expect(problems.filter(({ severity }) => severity === 'error').map((one) => one.problem)).toEqual([
      'the firewall drops packets of pods (iptables-nft ip filter FORWARD)',
      'the firewall drops packets of pods (iptables-nft ip filter INPUT)',
      expect.stringContaining("only name servers on the node's loopback (127.0.0.53)"),
    ]);
    await machine.sh(machine.node, 'iptables-nft -I FORWARD -m comment --comment coxswain -j ACCEPT');
    const { facts } = await examine();
    expect(facts).toContain('firewall: iptables-nft ip filter FORWARD drops what no rule accepts; pods are accepted');
  });

  it('names programs that are missing, with what to install', async () => {
    const commands = {
      run: (argv: readonly string[]) => machine.commands.run(['env', 'PATH=/nowhere', '/bin/sh', ...argv.slice(1)]),
      close: () => {},
    };
    const { problems } = await networkProblems({ commands, missingPlugins: [] });
    const text = problems.map((one) => `${one.severity}: ${one.problem}: ${one.advice}`);
    expect(text).toContain('error: `ip` is missing: Install iproute2.');
    expect(text).toContain('error: `nsenter` is missing: Install util-linux.');
    expect(text.join('\n')).toContain('neither CNI plug-ins nor `nft` are there');
  });
});
