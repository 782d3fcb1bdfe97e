import { invalid, Path } from '@coxswain/apimachinery/field';
import { readArgsOfShape } from '../../framework/args-shape.ts';

export interface InterPodAffinityArgs {
  /** What required affinity of other pods to this one counts in scores, beside the weights of preferred affinity. */
  readonly hardPodAffinityWeight: number;
  /** Whether what other pods prefer is left out for pods that prefer nothing themselves. */
  readonly ignorePreferredTermsOfExistingPods: boolean;
}

const shape = { hardPodAffinityWeight: 'integer', ignorePreferredTermsOfExistingPods: 'boolean' } as const;

/** Throws an Error with the message of what is wrong. */
export function readInterPodAffinityArgs(args: unknown, path?: Path): InterPodAffinityArgs {
  const { hardPodAffinityWeight = 1, ignorePreferredTermsOfExistingPods = false } = readArgsOfShape(args, shape);
  if (hardPodAffinityWeight < 0 || hardPodAffinityWeight > 100) {
    const field = path?.child('hardPodAffinityWeight') ?? Path.of('hardPodAffinityWeight');
    throw new Error(`${invalid(field, hardPodAffinityWeight, 'not in valid range [0, 100]')}`);
  }
  return { hardPodAffinityWeight, ignorePreferredTermsOfExistingPods };
}
