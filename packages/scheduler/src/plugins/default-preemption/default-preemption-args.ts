import { invalid, Path } from '@coxswain/apimachinery/field';
import { readArgsOfShape } from '../../framework/args-shape.ts';

/** How many candidates are collected before the best is chosen: this percentage of the potential nodes, but at least this number. */
export interface DefaultPreemptionArgs {
  readonly minCandidateNodesPercentage: number;
  readonly minCandidateNodesAbsolute: number;
}

const shape = { minCandidateNodesPercentage: 'integer', minCandidateNodesAbsolute: 'integer' } as const;

/** Throws an Error that names the invalid args. */
export function readDefaultPreemptionArgs(args: unknown, path: Path = Path.of('')): DefaultPreemptionArgs {
  const { minCandidateNodesPercentage = 10, minCandidateNodesAbsolute = 100 } = readArgsOfShape(args, shape);
  const percentage = path.child('minCandidateNodesPercentage');
  const absolute = path.child('minCandidateNodesAbsolute');
  const errors: unknown[] = [];
  if (minCandidateNodesPercentage < 0 || minCandidateNodesPercentage > 100)
    errors.push(invalid(percentage, minCandidateNodesPercentage, 'not in valid range [0, 100]'));
  if (minCandidateNodesAbsolute < 0)
    errors.push(invalid(absolute, minCandidateNodesAbsolute, 'not in valid range [0, inf)'));
  if (minCandidateNodesPercentage === 0 && minCandidateNodesAbsolute === 0) {
    const atOnce = 'cannot be zero at the same time as';
    errors.push(
      invalid(percentage, minCandidateNodesPercentage, `${atOnce} minCandidateNodesAbsolute`),
      invalid(absolute, minCandidateNodesAbsolute, `${atOnce} minCandidateNodesPercentage`),
    );
  }
  if (errors.length > 0) throw new Error(errors.length === 1 ? String(errors[0]) : `[${errors.join(', ')}]`);
  return { minCandidateNodesPercentage, minCandidateNodesAbsolute };
}

/** Returns how many candidates are enough for this number of potential nodes. */
export function candidatesWanted(args: DefaultPreemptionArgs, numNodes: number): number {
  const share = Math.trunc((numNodes * args.minCandidateNodesPercentage) / 100);
  return Math.min(Math.max(share, args.minCandidateNodesAbsolute), numNodes);
}
