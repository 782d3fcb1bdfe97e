import type { AddressRange } from '../addresses/index.ts';
import type { Firewalls, FoundChain, IPTables } from './found-chains.ts';

export interface AcceptRequest {
  /** The comment of our rules. */
  readonly tag: string;
  readonly ranges: readonly AddressRange[];
  /** The interface of the bridge: packets to the node itself are accepted from there only. */
  readonly bridge: string;
}

/** Changes of the rules of one program, as the text that it takes. */
export interface RuleChange {
  readonly program: 'nft' | IPTables;
  readonly text: string;
}

/**
 * The changes that let packets of pods pass chains which drop the rest: to and from pods, and from pods to the node. Nothing for chains
 * that are as they should be. With no ranges, all our rules are removed.
 */
export function acceptRuleChanges({ chains, dockerUser }: Firewalls, request: AcceptRequest): readonly RuleChange[] {
  const nft: string[] = [];
  const iptables = new Map<IPTables, string[]>();
  for (const chain of chains) {
    const wanted = isUsed(chain, chains, dockerUser) ? rulesFor(chain, request) : [];
    const present = chain.tagged.map((rule) => rule.replace(/ # handle \d+$/, ''));
    if (String([...present].sort()) === String([...wanted].sort())) continue;
    if (chain.program === 'nft') nft.push(...nftChanges(chain, wanted));
    else {
      const lines = iptables.get(chain.program) ?? [];
      iptables.set(chain.program, lines);
      lines.push(...chain.tagged.map((rule) => rule.replace(/^-A/, '-D')));
      lines.push(...wanted.map((rule) => rule.replace(/^-A (\S+)/, '-I $1 1')));
    }
  }
  return [
    ...(nft.length > 0 ? [{ program: 'nft' as const, text: `${nft.join('\n')}\n` }] : []),
    ...[...iptables].map(([program, lines]) => ({ program, text: `*filter\n${lines.join('\n')}\nCOMMIT\n` })),
  ];
}

/** Docker's chain takes the rules instead of FORWARD, where there is one: Docker keeps its own rules before others, but not before that. */
function isUsed(
  { program, chain, drops }: FoundChain,
  chains: readonly FoundChain[],
  dockerUser: ReadonlySet<string>,
): boolean {
  if (chain === 'DOCKER-USER') {
    return (
      dockerUser.has(program) && chains.some((one) => one.program === program && one.chain === 'FORWARD' && one.drops)
    );
  }
  return drops && !(chain === 'FORWARD' && dockerUser.has(program));
}

/** The rules that a chain should have, as its program prints them. */
function rulesFor(
  { program, family, chain, hook }: FoundChain,
  { tag, ranges, bridge }: AcceptRequest,
): readonly string[] {
  const fitting = ranges.filter((range) => family === 'inet' || family === (range.family === 'ipv4' ? 'ip' : 'ip6'));
  if (program === 'nft') {
    return fitting.flatMap((range) => {
      const word = range.family === 'ipv4' ? 'ip' : 'ip6';
      const end = `accept comment "${tag}"`;
      return hook === 'input'
        ? [`iifname "${bridge}" ${word} saddr ${range} ${end}`]
        : [`${word} saddr ${range} ${end}`, `${word} daddr ${range} ${end}`];
    });
  }
  const end = `-m comment --comment ${tag} -j ACCEPT`;
  return fitting.flatMap((range) =>
    hook === 'input'
      ? [`-A ${chain} -s ${range} -i ${bridge} ${end}`]
      : [`-A ${chain} -s ${range} ${end}`, `-A ${chain} -d ${range} ${end}`],
  );
}

function nftChanges({ family, table, chain, tagged }: FoundChain, wanted: readonly string[]): readonly string[] {
  const handles = tagged.flatMap((rule) => / # handle (\d+)$/.exec(rule)?.[1] ?? []);
  return [
    ...handles.map((handle) => `delete rule ${family} ${table} ${chain} handle ${handle}`),
    ...wanted.map((rule) => `insert rule ${family} ${table} ${chain} ${rule}`),
  ];
}
