import type { Commands } from '@coxswain/linux';
import { runWithInput } from '../programs/index.ts';

/** Prints the rules of the plug-in `portmap`, by program. Legacy iptables is asked only if its table is in use. */
const listRules = `
for program in iptables-nft ip6tables-nft iptables-legacy ip6tables-legacy; do
  command -v $program >/dev/null 2>&1 || continue
  case $program in *-legacy) grep -qx nat "/proc/net/\${program%tables*}_tables_names" 2>/dev/null || continue ;; esac
  $program -w 5 -t nat -S 2>/dev/null | grep -E 'CNI-(HOSTPORT|DN)-' | sed "s/^/$program /"
done
true
`;

/** Chains that all networks with host ports share. They are made again when they are needed. */
const shared = ['CNI-HOSTPORT-DNAT', 'CNI-HOSTPORT-SETMARK', 'CNI-HOSTPORT-MASQ'];

/**
 * Removes the rules that the plug-in `portmap` has made for a network, by the comments that it gives them. Needed only if the plug-in
 * could not do it itself. The plug-in's shared chains are removed when no rule of any network is left.
 */
export async function removePortMapRules(commands: Commands, network: string): Promise<void> {
  const { output } = await commands.run(['sh', '-c', listRules]);
  const rules = new Map<string, string[]>();
  for (const line of output.split('\n')) {
    const space = line.indexOf(' ');
    if (space > 0) rules.set(line.slice(0, space), [...(rules.get(line.slice(0, space)) ?? []), line.slice(space + 1)]);
  }
  for (const [program, lines] of rules) {
    for (const changes of portMapRuleChanges(lines, network)) {
      if (changes.length === 0) continue;
      const text = `*nat\n${changes.join('\n')}\nCOMMIT\n`;
      await runWithInput(commands, [`${program}-restore`, '-w', '5', '--noflush'], text);
    }
  }
}

/**
 * From rules as `iptables -S` prints them, the lines for `iptables-restore` that remove those of a network: first the rules, then the
 * chains, which iptables does not remove in the transaction that removes the rules that lead to them.
 */
export function portMapRuleChanges(
  rules: readonly string[],
  network: string,
): readonly [rules: readonly string[], chains: readonly string[]] {
  const name = `name: \\"${network}\\"`;
  const all = rules.filter((rule) => rule.startsWith('-A CNI-HOSTPORT-DNAT '));
  const own = all.filter((rule) => rule.includes(name));
  const others = all.filter((rule) => !rule.includes(name));
  const used = new Set(others.map(targetOf));
  // A chain of a pod that no rule leads to is what an interrupted call has left.
  const chains = rules.flatMap((rule) => /^-N (CNI-DN-\S+)/.exec(rule)?.[1] ?? []).filter((chain) => !used.has(chain));
  const isLast = others.length === 0;
  const jumps = rules.filter((rule) => !rule.startsWith('-A CNI-') && shared.includes(targetOf(rule) ?? ''));
  const gone = [...chains, ...(isLast ? shared.filter((chain) => rules.includes(`-N ${chain}`)) : [])];
  return [
    [
      ...[...own, ...(isLast ? jumps : [])].map((rule) => rule.replace(/^-A/, '-D')),
      ...gone.map((chain) => `-F ${chain}`),
    ],
    gone.map((chain) => `-X ${chain}`),
  ];
}

const targetOf = (rule: string): string | undefined => / -j (\S+)$/.exec(rule)?.[1];
