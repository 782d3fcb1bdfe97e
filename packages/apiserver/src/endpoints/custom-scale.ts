import type { Scale } from '@coxswain/api/autoscaling/v1';
import {
  type KubernetesObject,
  nestedInt64,
  nestedString,
  newBadRequest,
  newInternalError,
  setNestedField,
  setOwnEntry,
} from '@coxswain/apimachinery';
import type { ScalePaths } from '../registry/resource-definition.ts';

/** Marks absent spec replicas in a Scale, so that admission and patches can set them. */
const notSet = -(2 ** 31);

const textOf = (path: readonly string[]): string => JSON.stringify(`.${path.join('.')}`);

/** Returns the Scale of a custom resource. Throws an Error when a replicas field is not a number. */
export function scaleOfCustomResource(object: KubernetesObject, paths: ScalePaths): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata ?? {};
  const { specReplicas, statusReplicas, labelSelector } = paths;
  const selector = labelSelector && nestedString(object, ...labelSelector);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      ...(name && { name }),
      ...(namespace && { namespace }),
      ...(uid && { uid }),
      ...(resourceVersion && { resourceVersion }),
      ...(creationTimestamp && { creationTimestamp }),
    },
    spec: { replicas: int32(nestedInt64(object, ...specReplicas) ?? notSet) },
    status: { replicas: int32(nestedInt64(object, ...statusReplicas) ?? 0), ...(selector && { selector }) },
  };
}

/** Returns the Scale as clients see it. Throws InternalError when `mustBeSet` and the spec replicas field is absent. */
export function shownScale(scale: Scale, { specReplicas }: ScalePaths, mustBeSet: boolean): Scale {
  if (scale.spec?.replicas !== notSet) return withoutZero(scale, scale.spec?.replicas ?? 0);
  if (mustBeSet) throw newInternalError(new Error(`the spec replicas field ${textOf(specReplicas)} does not exist`));
  return withoutZero(scale, 0);
}

/** Omits zero spec replicas, as Go's `omitempty` does. */
const withoutZero = (scale: Scale, replicas: number): Scale => ({ ...scale, spec: replicas === 0 ? {} : { replicas } });

/** Returns the custom resource with the replicas of the Scale. Throws BadRequest when the Scale has none. */
export function scaledCustomResource(
  object: KubernetesObject,
  scale: Scale,
  { specReplicas }: ScalePaths,
): KubernetesObject {
  const { replicas = 0 } = scale.spec ?? {};
  if (replicas === notSet) throw newBadRequest(`the spec replicas field ${textOf(specReplicas)} cannot be empty`);
  const { resourceVersion } = scale.metadata;
  const scaled = { ...object, metadata: { ...object.metadata, ...(resourceVersion && { resourceVersion }) } };
  // The objects on the path to the field are copied, because the object is shared with the cache.
  let parent: Record<string, unknown> = scaled;
  for (const field of specReplicas.slice(0, -1)) {
    const child = Object.hasOwn(parent, field) ? parent[field] : undefined;
    if (typeof child !== 'object' || child === null || Array.isArray(child)) break;
    const copy = { ...child };
    setOwnEntry(parent, field, copy);
    parent = copy;
  }
  setNestedField(scaled, replicas, ...specReplicas);
  return scaled;
}

/** Go's conversion of an int64 to an int32, which wraps around. */
const int32 = (value: number | bigint): number => Number(BigInt.asIntN(32, BigInt(value)));
