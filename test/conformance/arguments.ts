import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type ContainerdKind, containerdKinds, isContainerdKind } from './nodes/containerd-kind.ts';
import { isTierName, type TierName } from './tiers.ts';

export const usage = `Usage: npm run conformance -- [options]

Runs Kubernetes' own conformance tests against our cluster. Needs Go.

  --tier <tier>    api (no pod runs), hollow (pods' status changes), all (both; the default),
                   or containers (on two real nodes on this machine; needs root)
  --real           the other tiers on real nodes, too; results are not written
  --focus <regex>  only tests whose name matches; results are not written
  --procs <count>  number of concurrent tests (default: four for each core, at most 16)
  --reference      real nodes: with the real kubelet instead of ours; results are not written
  --containerd <which>
                   real nodes: built (2.1, the default) or debian (that of Debian's package)
  --help           this text
`;

export interface Arguments {
  readonly tiers: readonly TierName[];
  readonly focus?: RegExp;
  readonly procs: number;
  /** The tests run on real nodes, as those of the tier `containers` always do. */
  readonly real: boolean;
  /** Real nodes run the real kubelet. */
  readonly reference: boolean;
  readonly containerd: ContainerdKind;
}

/** Returns the arguments, or undefined for `--help`. Throws for invalid arguments. */
export function parseArguments(args: readonly string[]): Arguments | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      tier: { type: 'string', default: 'all' },
      focus: { type: 'string' },
      real: { type: 'boolean', default: false },
      reference: { type: 'boolean', default: false },
      containerd: { type: 'string', default: 'built' },
      procs: { type: 'string', default: String(Math.min(16, availableParallelism() * 4)) },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  if (!isContainerdKind(values.containerd)) {
    throw new Error(`--containerd ${values.containerd} is not one of ${containerdKinds.join(', ')}`);
  }
  const procs = Number(values.procs);
  if (!Number.isInteger(procs) || procs < 1) throw new Error(`--procs ${values.procs} is not a count`);
  const tiers = parseTier(values.tier);
  return {
    tiers,
    procs,
    real: values.real || tiers.includes('containers'),
    reference: values.reference,
    containerd: values.containerd,
    ...(values.focus !== undefined && { focus: new RegExp(values.focus) }),
  };
}

function parseTier(text: string): readonly TierName[] {
  if (text === 'all') return ['api', 'hollow'];
  if (!isTierName(text)) throw new Error(`--tier ${text} is not one of api, hollow, containers, all`);
  return [text];
}
