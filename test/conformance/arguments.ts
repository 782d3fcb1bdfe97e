import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { isTierName, type TierName } from './tiers.ts';

export const usage = `Usage: npm run conformance -- [options]

Runs Kubernetes' own conformance tests against a cluster of ours. Needs Go.

  --tier <tier>    api (no pod runs), hollow (pods' status moves), all (both; the default),
                   or containers (what is not possible yet, tried all the same: hours)
  --focus <regex>  only tests whose name matches; the kept results stay as they are
  --procs <count>  how many tests at a time (default: four for each core, at most 16)
  --help           this text
`;

export interface Arguments {
  readonly tiers: readonly TierName[];
  readonly focus?: RegExp;
  readonly procs: number;
}

/** What was asked for, or undefined when that is help. Throws on anything else that is no run. */
export function parseArguments(args: readonly string[]): Arguments | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      tier: { type: 'string', default: 'all' },
      focus: { type: 'string' },
      procs: { type: 'string', default: String(Math.min(16, availableParallelism() * 4)) },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  const procs = Number(values.procs);
  if (!Number.isInteger(procs) || procs < 1) throw new Error(`--procs ${values.procs} is not a count`);
  return {
    tiers: parseTier(values.tier),
    procs,
    ...(values.focus !== undefined && { focus: new RegExp(values.focus) }),
  };
}

function parseTier(text: string): readonly TierName[] {
  if (text === 'all') return ['api', 'hollow'];
  if (!isTierName(text)) throw new Error(`--tier ${text} is none of api, hollow, containers, all`);
  return [text];
}
