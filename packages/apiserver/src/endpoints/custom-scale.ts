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

/** Stands for a number that is not there, while somebody may set it. */
const notSet = -(2 ** 31);

const textOf = (path: readonly string[]): string => JSON.stringify(`.${path.join('.')}`);

/** How many replicas a custom resource has and shall have. Throws an Error where something else than a number is. */
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

/** As it is shown to clients. Throws InternalError when `mustBeSet` and nothing says how many there shall be. */
export function shownScale(scale: Scale, { specReplicas }: ScalePaths, mustBeSet: boolean): Scale {
  if (scale.spec?.replicas !== notSet) return withoutZero(scale, scale.spec?.replicas ?? 0);
  if (mustBeSet) throw newInternalError(new Error(`the spec replicas field ${textOf(specReplicas)} does not exist`));
  return withoutZero(scale, 0);
}

/** A zero goes without saying. */
const withoutZero = (scale: Scale, replicas: number): Scale => ({ ...scale, spec: replicas === 0 ? {} : { replicas } });

/** The custom resource with as many replicas as the scale says. Throws BadRequest when it does not say. */
export function scaledCustomResource(
  object: KubernetesObject,
  scale: Scale,
  { specReplicas }: ScalePaths,
): KubernetesObject {
  const { replicas = 0 } = scale.spec ?? {};
  if (replicas === notSet) throw newBadRequest(`the spec replicas field ${textOf(specReplicas)} cannot be empty`);
  const { resourceVersion } = scale.metadata;
  const scaled = { ...object, metadata: { ...object.metadata, ...(resourceVersion && { resourceVersion }) } };
  // Whatever is on the way there is copied: the object is as it is stored.
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

/** What Go makes of a large number. */
const int32 = (value: number | bigint): number => Number(BigInt.asIntN(32, BigInt(value)));
