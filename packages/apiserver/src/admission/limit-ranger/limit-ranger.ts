import {
  type Amounts,
  amountsOf,
  containerAmounts,
  type FeatureGates,
  podLevelAmounts,
  type ResourceKind,
  replaceIn,
  specAmounts,
} from '@coxswain/api';
import type { LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod, PodSpec } from '@coxswain/api/core/v1';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { admissionForbidden } from '../admission-error.ts';
import { aggregateMessages } from '../aggregate-messages.ts';
import type { AdmissionContext } from '../plugin-context.ts';
import { atLeast, atMost, brokenConstraints, ratioAtMost, requestAtMost } from './constraints.ts';
import { setDefaultResources } from './default-resources.ts';

/** Sets default resources and enforces the limit ranges of the namespace for containers, pods and claims. */
export function limitRanger({ listers, features }: Pick<AdmissionContext, 'listers' | 'features'>): AdmissionPlugin {
  /** The limit ranges for a write. Waits only until the lister has synced. */
  const rangesFor = async ({ namespace, operation, resource, subresource, oldObject }: AdmissionAttributes) => {
    const isResize = subresource === 'resize';
    // Updates change the resources of a pod only through the resize subresource.
    if (resource.resource === 'pods' && isResize !== (operation === 'UPDATE')) return [];
    if (oldObject?.metadata?.deletionTimestamp !== undefined) return [];
    const ranges = listers.lister<LimitRange>('', 'limitranges');
    await ranges.synced;
    return ranges.list(namespace);
  };

  return {
    name: 'LimitRanger',
    operations: ['CREATE', 'UPDATE'],
    resources: ['pods', 'pods/resize', 'persistentvolumeclaims'],
    async admit(attributes) {
      if (attributes.resource.resource !== 'pods') return;
      for (const range of await rangesFor(attributes)) setDefaultResources(attributes.object as Pod, range);
    },
    async validate(attributes) {
      const { resource, object } = attributes;
      for (const { spec } of await rangesFor(attributes)) {
        const broken = (spec?.limits ?? []).flatMap((item) =>
          resource.resource === 'pods'
            ? brokenByPod(item, (object as Pod).spec, features)
            : brokenByClaim(item, object as PersistentVolumeClaim),
        );
        if (broken.length > 0) throw admissionForbidden(attributes, aggregateMessages(broken));
      }
    },
  };
}

const ofBoth = { min: atLeast, max: atMost, maxLimitRequestRatio: ratioAtMost };
const ofClaims = { min: atLeast, max: requestAtMost };

function brokenByClaim(item: LimitRangeItem, { spec }: PersistentVolumeClaim): string[] {
  if (item.type !== 'PersistentVolumeClaim') return [];
  return brokenConstraints(item, ofClaims, { requests: amountsOf(spec?.resources?.requests), limits: new Map() });
}

function brokenByPod(item: LimitRangeItem, spec: PodSpec | undefined, features: FeatureGates): string[] {
  if (!spec) return [];
  if (item.type === 'Pod') {
    const of = (kind: ResourceKind): Amounts => {
      const amounts = containerAmounts(spec, specAmounts(kind));
      const isOfPods = (name: string): boolean => name === 'cpu' || name === 'memory';
      return features.enabled('PodLevelResources')
        ? replaceIn(amounts, podLevelAmounts(spec, kind, isOfPods))
        : amounts;
    };
    return brokenConstraints(item, ofBoth, { requests: of('requests'), limits: of('limits') });
  }
  if (item.type !== 'Container') return [];
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].flatMap((container) =>
    brokenConstraints(item, ofBoth, {
      requests: specAmounts('requests')(container),
      limits: specAmounts('limits')(container),
    }),
  );
}
