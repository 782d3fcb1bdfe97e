import { invalid, Path } from '@coxswain/apimachinery';
import type { Eviction } from '../../generated/policy/v1.ts';
import type { Strategy } from '../../strategy/strategy.ts';

const unsafeDelete = 'ignoreStoreReadErrorWithClusterBreakingPotential';

/** Of the subresource of pods, which is nowhere stored. */
export const evictionStrategy: Strategy<Eviction> = {
  validate: ({ deleteOptions }) =>
    deleteOptions?.[unsafeDelete]
      ? [
          invalid(
            Path.of('deleteOptions', unsafeDelete),
            true,
            'can not be set for pod eviction, try after removing the option',
          ),
        ]
      : [],
  validatesMetadata: true,
};
