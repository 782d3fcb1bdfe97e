import { internalFormOf } from '../../strategy/internal-form.ts';

/** Update strategies as upstream's messages print them; see `strategy/internal-form.ts` for the notation. */
export const internalForm = internalFormOf(`
DeploymentStrategy Type:s RollingUpdate:*RollingUpdate
DaemonSetUpdateStrategy Type:s RollingUpdate:*RollingUpdate
RollingUpdate MaxUnavailable:v MaxSurge:v
StatefulSetUpdateStrategy Type:s RollingUpdate:*RollingUpdateStatefulSetStrategy
RollingUpdateStatefulSetStrategy Partition:i MaxUnavailable:*v
`);
