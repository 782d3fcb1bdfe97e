/**
 * Maintains the usage in the status of ResourceQuotas. Start at `resource-quota-controller.ts`. The evaluators in `@coxswain/api`
 * compute the usage.
 */
import { FeatureGates, newEvaluators } from '@coxswain/api';
import type { ControllerContext, ControllerDefinition } from '../framework/controller/controller.ts';
import { ResourceQuotaController } from './resource-quota-controller.ts';

export const resourceQuotaController: ControllerDefinition = {
  name: 'resourcequota-controller',
  aliases: ['resourcequota'],
  create: (context) => new ResourceQuotaController(context, evaluatorsOn(context)),
};

/**
 * The evaluators need full objects of these resources. Accessing their informers creates them, so that the resource monitors use
 * them instead of caching only metadata.
 */
function evaluatorsOn({ informers, clock }: ControllerContext): ReturnType<typeof newEvaluators> {
  const { pods, services, persistentVolumeClaims } = informers.core.v1;
  const { resourceClaims, deviceClasses } = informers.resource.v1;
  void [services, persistentVolumeClaims];
  return newEvaluators(FeatureGates.defaults, () => new Date(clock.now()), {
    deviceClass: (name) => deviceClasses.informer.indexer.getByKey(name),
    deviceClasses: () => deviceClasses.lister.list(),
    pod: (namespace, name) => pods.informer.indexer.getByKey(`${namespace}/${name}`),
    claims: (namespace) => resourceClaims.lister.namespace(namespace).list(),
  });
}
