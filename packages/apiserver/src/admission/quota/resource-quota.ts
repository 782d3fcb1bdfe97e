import { type ClaimRelations, isQuotaIgnored, newEvaluators } from '@coxswain/api';
import type { Pod, ResourceQuota } from '@coxswain/api/core/v1';
import type { DeviceClass, ResourceClaim } from '@coxswain/api/resource/v1';
import type { Lister, Listers } from '../../registry/lister.ts';
import type { AdmissionPlugin } from '../admission.ts';
import type { AdmissionContext } from '../plugin-context.ts';
import { defaultResourceQuotaConfiguration, type ResourceQuotaConfiguration } from './configuration.ts';
import { QuotaCharger } from './quota-charger.ts';

/** Enforces quotas, also with concurrent requests. */
export function resourceQuota(
  { listers, client, features, now }: Pick<AdmissionContext, 'listers' | 'client' | 'features' | 'now'>,
  { limitedResources }: ResourceQuotaConfiguration = defaultResourceQuotaConfiguration,
): AdmissionPlugin {
  const quotas = (): Lister<ResourceQuota> => listers.lister('', 'resourcequotas');
  const evaluators = newEvaluators(features, now, relationsIn(listers));
  let isSynced = false;
  const charger = new QuotaCharger({ quotas, client, limited: limitedResources });
  return {
    name: 'ResourceQuota',
    operations: ['CREATE', 'UPDATE'],
    async validate(attributes) {
      const { namespace, kind, operation, resource } = attributes;
      if (namespace === '' || (operation === 'CREATE' && kind.kind === 'Namespace' && kind.group === '')) return;
      const known = quotas();
      if (!isSynced) {
        await known.synced;
        isSynced = true;
      }
      if (limitedResources.length === 0 && known.list(namespace).length === 0) return;
      const evaluator = evaluators.of(resource.groupResource);
      if (!evaluator.handles(attributes) || isQuotaIgnored(resource.groupResource)) return;
      if (resource.resource === 'resourceclaims') await relatedSynced(listers);
      await charger.charge(attributes, evaluator);
    },
  };
}

/** The listers that resource claims need. */
const related = {
  deviceClasses: (listers: Listers) => listers.lister<DeviceClass>('resource.k8s.io', 'deviceclasses'),
  pods: (listers: Listers) => listers.lister<Pod>('', 'pods'),
  claims: (listers: Listers) => listers.lister<ResourceClaim>('resource.k8s.io', 'resourceclaims'),
};

const relatedSynced = (listers: Listers): Promise<unknown> =>
  Promise.all(Object.values(related).map((lister) => lister(listers).synced));

const relationsIn = (listers: Listers): ClaimRelations => ({
  deviceClass: (name) => related.deviceClasses(listers).get('', name),
  deviceClasses: () => related.deviceClasses(listers).list(),
  pod: (namespace, name) => related.pods(listers).get(namespace, name),
  claims: (namespace) => related.claims(listers).list(namespace),
});
