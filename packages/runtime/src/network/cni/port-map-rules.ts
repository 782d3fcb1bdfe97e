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
    const changes = portMapRuleChanges(lines, network);
    if (changes.length === 0) continue;
    const text = `*nat\n${changes.join('\n')}\nCOMMIT\n`;
    await runWithInput(commands, [`${program}-restore`, '-w', '5', '--noflush'], text);
  }
}

/** From rules as `iptables -S` prints them, the lines for `iptables-restore` that remove those of a network. */
export function portMapRuleChanges(rules: readonly string[], network: string): readonly string[] {
  const name = `name: \\"${network}\\"`;
  const own = rules.filter((rule) => rule.startsWith('-A CNI-HOSTPORT-DNAT ') && rule.includes(name));
  const others = rules.filter((rule) => rule.startsWith('-A CNI-HOSTPORT-DNAT ') && !rule.includes(name));
  const used = new Set(others.map(targetOf));
  // A chain of a pod that no rule leads to is what an interrupted call has left.
  const chains = rules.flatMap((rule) => /^-N (CNI-DN-\S+)/.exec(rule)?.[1] ?? []).filter((chain) => !used.has(chain));
  const changes = [
    ...own.map((rule) => rule.replace(/^-A/, '-D')),
    ...chains.map((chain) => `-F ${chain}`),
    ...chains.map((chain) => `-X ${chain}`),
  ];
  if (others.length > 0) return changes;
  const present = shared.filter((chain) => rules.includes(`-N ${chain}`));
  const jumps = rules.filter((rule) => !rule.startsWith('-A CNI-') && shared.includes(targetOf(rule) ?? ''));
  return [
    ...changes,
    ...jumps.map((rule) => rule.replace(/^-A/, '-D')),
    ...present.map((chain) => `-F ${chain}`),
    ...present.map((chain) => `-X ${chain}`),
  ];
}

const targetOf = (rule: string): string | undefined => / -j (\S+)$/.exec(rule)?.[1];
