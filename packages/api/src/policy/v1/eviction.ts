import { invalid, Path } from '@coxswain/apimachinery';
import type { Eviction } from '../../generated/policy/v1.ts';
import type { Strategy } from '../../strategy/strategy.ts';

const unsafeDelete = 'ignoreStoreReadErrorWithClusterBreakingPotential';

/** The strategy of the subresource `eviction` of pods, which is not stored. */
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
