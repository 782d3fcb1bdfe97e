import { invalid, Path } from '@coxswain/apimachinery/field';
import { readArgsOfShape } from '../../framework/args-shape.ts';

export interface InterPodAffinityArgs {
  /** The weight in scores of required affinity of existing pods to this one. */
  readonly hardPodAffinityWeight: number;
  /** Whether preferences of existing pods are ignored for pods without preferences. */
  readonly ignorePreferredTermsOfExistingPods: boolean;
}

const shape = { hardPodAffinityWeight: 'integer', ignorePreferredTermsOfExistingPods: 'boolean' } as const;

/** Throws an Error that names the invalid field. */
export function readInterPodAffinityArgs(args: unknown, path?: Path): InterPodAffinityArgs {
  const { hardPodAffinityWeight = 1, ignorePreferredTermsOfExistingPods = false } = readArgsOfShape(args, shape);
  if (hardPodAffinityWeight < 0 || hardPodAffinityWeight > 100) {
    const field = path?.child('hardPodAffinityWeight') ?? Path.of('hardPodAffinityWeight');
    throw new Error(`${invalid(field, hardPodAffinityWeight, 'not in valid range [0, 100]')}`);
  }
  return { hardPodAffinityWeight, ignorePreferredTermsOfExistingPods };
}
