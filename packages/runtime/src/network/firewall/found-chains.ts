import type { Commands } from '@coxswain/linux';
import { runProgram } from '../programs/index.ts';

/** A chain that decides about packets to pods or to the node, as it was found. */
export interface FoundChain {
  /** The program that changes it: `nft`, or one of the four variants of iptables. */
  readonly program: 'nft' | IPTables;
  /** The family of an nftables table; `ip` or `ip6` with iptables. */
  readonly family: string;
  readonly table: string;
  readonly chain: string;
  readonly hook: 'forward' | 'input';
  /** Whether a packet that no rule accepts is dropped. */
  readonly drops: boolean;
  /** The rules with our tag, as the program prints them; with nftables, with their handles. */
  readonly tagged: readonly string[];
}

const iptables = ['iptables-nft', 'ip6tables-nft', 'iptables-legacy', 'ip6tables-legacy'] as const;
export type IPTables = (typeof iptables)[number];

export interface Firewalls {
  readonly chains: readonly FoundChain[];
  /** Docker's chain for rules of others exists, by program. */
  readonly dockerUser: ReadonlySet<string>;
  readonly hasFirewalld: boolean;
}

/**
 * Prints the base chains of the hooks forward and input, and of each its policy, its rules with the tag, and rules that drop the rest.
 * Legacy iptables is asked only if its table is in use: asking would load it. Arguments: the tag.
 */
const script = `
tag=$1
has() { command -v "$1" >/dev/null 2>&1; }
nft=
if has nft; then
  nft=$(nft list chains 2>/dev/null | awk '
    /^table/ { family = $2; table = $3 }
    /^[ \\t]*chain/ { chain = $2 }
    /hook (forward|input) / {
      print family, table, chain, (/hook forward/ ? "forward" : "input"), (/policy drop/ ? "drop" : "accept")
    }')
  echo "$nft" | while read -r family table chain hook policy; do
    [ -n "$family" ] || continue
    echo "chain nft $family $table $chain $hook $policy"
    case "$family/$table/$chain" in ip*/filter/FORWARD | ip*/filter/INPUT | */firewalld/*) continue ;; esac
    nft -a list chain "$family" "$table" "$chain" 2>/dev/null |
      grep -E -e "comment \\"$tag\\"" -e '^[[:space:]]*(counter packets [0-9]+ bytes [0-9]+ )?(drop|reject)' |
      sed "s/^[[:space:]]*/rule nft $family $table $chain /"
  done
fi
for program in ${iptables.join(' ')}; do
  has $program || continue
  family=\${program%tables*}
  case $program in
  *-legacy) grep -qx filter "/proc/net/\${family}_tables_names" 2>/dev/null || continue ;;
  *) if has nft; then echo "$nft" | grep -q "^$family filter " || continue; fi ;;
  esac
  for chain in FORWARD INPUT DOCKER-USER; do
    $program -w 5 -S $chain 2>/dev/null |
      grep -E -e '^-P' -e '^-N' -e "--comment $tag -j" -e '-j DOCKER-USER' -e '^-A [A-Z]+ -j (DROP|REJECT)' |
      sed "s/^/iptables $program $chain /"
  done
done
true
`;

/** Finds the chains of all firewalls of the node. Changes nothing. */
export async function findFirewalls(commands: Commands, tag: string): Promise<Firewalls> {
  const output = await runProgram(commands, ['sh', '-c', script, 'sh', tag]);
  return parseFirewalls(output.split('\n'));
}

type Draft = { -readonly [K in keyof FoundChain]: FoundChain[K] };

export function parseFirewalls(lines: readonly string[]): Firewalls {
  const drafts = new Map<string, Draft>();
  const dockerUser = new Set<string>();
  let hasFirewalld = false;
  for (const line of lines) {
    const [kind, program = '', ...words] = line.split(' ');
    if (kind === 'chain') {
      const [family = '', table = '', chain = '', hook, policy] = words;
      if (table === 'firewalld') hasFirewalld = true;
      else if (!isOfIPTables(family, table, chain) && (hook === 'forward' || hook === 'input')) {
        const drops = policy === 'drop';
        drafts.set(`${family} ${table} ${chain}`, { program: 'nft', family, table, chain, hook, drops, tagged: [] });
      }
    } else if (kind === 'rule') {
      const draft = drafts.get(words.slice(0, 3).join(' '));
      const rule = words.slice(3).join(' ');
      if (draft && /comment "/.test(rule)) draft.tagged = [...draft.tagged, rule];
      else if (draft) draft.drops = true;
    } else if (kind === 'iptables' && isIPTables(program)) {
      addIPTables(drafts, dockerUser, program, words);
    }
  }
  return { chains: [...drafts.values()], dockerUser, hasFirewalld };
}

function addIPTables(
  drafts: Map<string, Draft>,
  dockerUser: Set<string>,
  program: IPTables,
  [chain = '', ...words]: readonly string[],
): void {
  const rule = words.join(' ');
  if (rule.startsWith('-A FORWARD') && rule.endsWith('-j DOCKER-USER')) dockerUser.add(program);
  const hook = chain === 'INPUT' ? 'input' : 'forward';
  const key = `${program} ${chain}`;
  const family = program.startsWith('ip6') ? 'ip6' : 'ip';
  const draft = drafts.get(key) ?? { program, family, table: 'filter', chain, hook, drops: false, tagged: [] };
  drafts.set(key, draft);
  if (rule.includes('--comment ') && rule.startsWith('-A')) draft.tagged = [...draft.tagged, rule];
  else if (/^-P \S+ DROP$/.test(rule) || /^-A (?:FORWARD|INPUT) -j (?:DROP|REJECT)/.test(rule)) draft.drops = true;
}

/** The chains that iptables has in nftables. They are changed by iptables, which would not understand all rules of nft. */
const isOfIPTables = (family: string, table: string, chain: string): boolean =>
  (family === 'ip' || family === 'ip6') && table === 'filter' && (chain === 'FORWARD' || chain === 'INPUT');

const isIPTables = (program: string): program is IPTables => iptables.some((one) => one === program);
