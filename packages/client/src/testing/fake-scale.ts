import type { Scale } from '@coxswain/api/autoscaling/v1';
import { isJsonObject } from '@coxswain/apimachinery/json';
import { formatLabelSelector } from '@coxswain/apimachinery/labels';
import type { Unstructured } from '../dynamic/unstructured.ts';

/** Returns the Scale of an object that has replicas and selector at the paths of the built-in workloads. */
export function scaleOf({ metadata = {}, spec, status }: Unstructured): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const selector = fieldOf(spec, 'selector');
  const text = isJsonObject(selector) ? formatLabelSelector(selector) : fieldOf(status, 'selector');
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
    },
    spec: { replicas: numberOf(fieldOf(spec, 'replicas')) },
    status: {
      replicas: numberOf(fieldOf(status, 'replicas')),
      ...(typeof text === 'string' && { selector: text }),
    },
  };
}

/** Returns the object with the replicas and resourceVersion of the scale. */
export function withScale(object: Unstructured, { metadata, spec }: Unstructured): Unstructured {
  const { resourceVersion } = metadata ?? {};
  return {
    ...object,
    metadata: { ...object.metadata, ...(resourceVersion !== undefined && { resourceVersion }) },
    spec: { ...(isJsonObject(object.spec) && object.spec), replicas: numberOf(fieldOf(spec, 'replicas')) },
  };
}

const fieldOf = (value: unknown, name: string): unknown => (isJsonObject(value) ? value[name] : undefined);
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);
