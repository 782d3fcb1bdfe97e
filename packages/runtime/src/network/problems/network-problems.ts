import type { Commands } from '@coxswain/linux';
import { findFirewalls } from '../firewall/index.ts';
import { runProgram } from '../programs/index.ts';
import { choosePodResolver } from '../resolver/pod-resolver.ts';

/** Something of the node that keeps pods from being connected, or that somebody should know. */
export interface NetworkProblem {
  /** With an error, pods cannot be connected, or not reach what they should. */
  readonly severity: 'error' | 'warning';
  /** What is wrong. */
  readonly problem: string;
  /** What to do. */
  readonly advice: string;
}

export interface NetworkReport {
  /** What was found, for people: one fact each. */
  readonly facts: readonly string[];
  readonly problems: readonly NetworkProblem[];
}

export interface NetworkProblemsOptions {
  readonly commands: Commands;
  /** The comment of our firewall rules: the name of our nftables table. Default `coxswain`. */
  readonly tag?: string | undefined;
  /** Plug-ins that are missing for the default network of CNI. */
  readonly missingPlugins: readonly string[];
  readonly resolver?: { readonly file: string; readonly otherFile: string };
}

/**
 * Prints what the machine has: programs, settings, and whether the kernel can do what networks of pods need, which is tried in a namespace
 * that ends with it.
 */
const script = `
for program in ip nft iptables conntrack nsenter unshare mount umount; do
  command -v $program >/dev/null 2>&1 && echo "has $program"
done
echo "ip_forward $(cat /proc/sys/net/ipv4/ip_forward 2>/dev/null)"
[ -e /proc/sys/net/ipv6/conf/all/forwarding ] && echo "has ipv6"
echo "bridge_nf $(cat /proc/sys/net/bridge/bridge-nf-call-iptables 2>/dev/null)"
try() { name=$1; shift; unshare --net -- sh -c "$*" >/dev/null 2>&1 && echo "can $name"; }
try veth 'ip link add v0 type veth peer name v1'
try bridge 'ip link add b0 type bridge'
try nat "nft 'table inet t { chain c { type nat hook postrouting priority 100; masquerade; }; }'"
true
`;

/** Examines the node for the network of pods. Changes nothing. */
export async function networkProblems(options: NetworkProblemsOptions): Promise<NetworkReport> {
  const { commands, tag = 'coxswain', missingPlugins, resolver } = options;
  const lines = new Set((await runProgram(commands, ['sh', '-c', script])).split('\n'));
  const problems: NetworkProblem[] = [];
  const facts: string[] = [];
  const error = (problem: string, advice: string): number => problems.push({ severity: 'error', problem, advice });
  const warning = (problem: string, advice: string): number => problems.push({ severity: 'warning', problem, advice });
  const has = (program: string): boolean => lines.has(`has ${program}`);
  const can = (ability: string): boolean => lines.has(`can ${ability}`);

  if (!has('ip')) error('`ip` is missing', 'Install iproute2.');
  for (const program of ['nsenter', 'unshare', 'mount', 'umount']) {
    if (!has(program)) error(`\`${program}\` is missing`, 'Install util-linux.');
  }
  const usesPlugins = missingPlugins.length === 0 && has('iptables');
  facts.push(
    usesPlugins ? 'CNI plug-ins: complete' : `CNI plug-ins: ${missingPlugins.join(', ') || 'iptables'} missing`,
  );
  if (!usesPlugins && !has('nft')) {
    error(
      'neither CNI plug-ins nor `nft` are there',
      'Install nftables, or the CNI plug-ins (containernetworking-plugins) and iptables.',
    );
  } else if (!has('nft')) {
    warning(
      '`nft` is missing: pods that reach pods of other nodes have the address of the node there',
      'Install nftables.',
    );
  } else if (!can('nat')) {
    error(
      'the kernel has no NAT in nftables',
      'Load the modules nf_tables, nft_masq and nft_chain_nat, or use a kernel that has them.',
    );
  }
  if (!has('conntrack')) {
    warning(
      '`conntrack` is missing: flows of UDP to a host port that moved to another pod end late',
      'Install conntrack.',
    );
  }
  if (has('ip') && has('unshare')) {
    if (!can('veth')) error('the kernel has no virtual cables', 'Load the module veth.');
    if (!can('bridge')) error('the kernel has no bridges', 'Load the module bridge.');
  }
  facts.push(`IPv6: ${has('ipv6') ? 'yes' : 'no'}`);
  facts.push(`net.ipv4.ip_forward: ${lines.has('ip_forward 1') ? '1' : '0, switched on with the first pod'}`);
  if (!lines.has('bridge_nf 1')) {
    warning(
      'packets between pods of this node do not pass iptables: a pod does not reach itself or its neighbours by a service',
      'modprobe br_netfilter; sysctl net.bridge.bridge-nf-call-iptables=1 net.bridge.bridge-nf-call-ip6tables=1',
    );
  }
  await addFirewalls(commands, tag, facts, error);
  const { path, problem } = await choosePodResolver(resolver?.file, resolver?.otherFile);
  facts.push(`name servers of pods: from ${path}`);
  if (problem !== undefined)
    error(
      problem,
      'Write the name servers of the network to a file, and name it in the field resolvConf of the kubelet.',
    );
  return { facts, problems };
}

async function addFirewalls(
  commands: Commands,
  tag: string,
  facts: string[],
  error: (problem: string, advice: string) => void,
): Promise<void> {
  const { chains, dockerUser, hasFirewalld } = await findFirewalls(commands, tag);
  if (hasFirewalld) facts.push('firewalld runs: the ranges of pods are added to its zone trusted');
  for (const chain of chains.filter(({ drops }) => drops)) {
    const name = `${chain.program} ${chain.family} ${chain.table} ${chain.chain}`;
    const isOpen = chain.tagged.length > 0 || (chain.chain === 'FORWARD' && dockerUser.has(chain.program));
    facts.push(`firewall: ${name} drops what no rule accepts${isOpen ? '; pods are accepted' : ''}`);
    if (!isOpen) {
      error(
        `the firewall drops packets of pods (${name})`,
        'The runtime adds rules that accept them when it starts, and every half minute. If they do not stay, something removes them.',
      );
    }
  }
}
