import type { FeatureGates } from '@coxswain/api';
import type { Random } from '@coxswain/apimachinery/random';
import type { Authorizer } from '../authorization/index.ts';
import type { InternalClient, Listers } from '../registry/lister.ts';

/**
 * The dependencies of plug-ins. Listers are requested at the first write that needs them, so that the server can start.
 */
export interface AdmissionContext {
  readonly listers: Listers;
  readonly client: InternalClient;
  readonly authorizer: Authorizer;
  readonly features: FeatureGates;
  readonly now: () => Date;
  readonly random: Pick<Random, 'nameSuffix'>;
}
