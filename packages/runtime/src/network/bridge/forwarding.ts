import type { Commands } from '@coxswain/linux';
import type { AddressRange } from '../addresses/index.ts';
import { runProgram } from '../programs/index.ts';

/**
 * A node that forwards IPv6 ignores router advertisements, by which it may have got its own default route, unless `accept_ra` is 2.
 * Arguments: the families.
 */
const script = `
cd /proc/sys/net
for family; do
  case $family in
  ipv4) echo 1 >ipv4/ip_forward || exit 1 ;;
  ipv6)
    for file in ipv6/conf/*/accept_ra; do
      [ "$(cat "$file")" != 1 ] || [ "$(cat "\${file%accept_ra}forwarding")" != 0 ] || echo 2 >"$file"
    done
    echo 1 >ipv6/conf/all/forwarding || exit 1 ;;
  esac
done
`;

/** Lets the node forward packets of pods, in the families of their ranges. */
export async function enableForwarding(
  commands: Commands,
  ranges: readonly AddressRange[],
  signal?: AbortSignal,
): Promise<void> {
  const families = [...new Set(ranges.map(({ family }) => family))];
  await runProgram(commands, ['sh', '-c', script, 'sh', ...families], signal);
}
