import { labels, type ObjectMeta, Path, validateNonnegativeField } from '@coxswain/apimachinery';
import type { Deployment, ReplicaSet, StatefulSet } from '../../generated/apps/v1.ts';
import type { Scale } from '../../generated/autoscaling/v1.ts';
import type { ReplicationController } from '../../generated/core/v1.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';

/** Kinds that have a scale subresource and select pods by a LabelSelector. */
export type ScalableWorkload = Deployment | ReplicaSet | StatefulSet;

interface Scalable {
  readonly metadata: ObjectMeta;
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number };
}

function scaleOf({ metadata, spec, status }: Scalable, selector: labels.Selector): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const text = selector.toString();
  const { replicas = 0 } = spec ?? {};
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
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: status?.replicas ?? 0, ...(text && { selector: text }) },
  };
}

/**
 * Returns the scale of a Deployment, ReplicaSet or StatefulSet. Throws an Error with upstream's message when its
 * selector is invalid.
 */
export const scaleFromWorkload = (workload: ScalableWorkload): Scale =>
  scaleOf(workload, labels.labelSelectorAsSelector(workload.spec?.selector));

export const scaleFromReplicationController = (controller: ReplicationController): Scale =>
  scaleOf(controller, labels.Selector.fromSet(controller.spec?.selector));

/** Returns the object with the replicas and the resourceVersion of a validated scale. */
export function applyScale<T extends ScalableWorkload | ReplicationController>(object: T, scale: Scale): T {
  const { resourceVersion: _, ...metadata } = object.metadata;
  const { resourceVersion } = scale.metadata;
  return {
    ...object,
    metadata: { ...metadata, ...(resourceVersion && { resourceVersion }) },
    spec: { ...object.spec, replicas: scale.spec?.replicas ?? 0 },
  };
}

/** The strategy of the subresource `scale`, which is not stored. */
export const scaleStrategy: Strategy<Scale> = {
  validate: ({ spec }) => validateNonnegativeField(spec?.replicas, Path.of('spec', 'replicas')),
  table: {
    columns: columns('Name', 'Desired:integer', 'Available:integer', 'Age').map(({ format: _, ...column }) => column),
    row: ({ metadata, spec, status }, context) => [
      metadata.name ?? '',
      spec?.replicas ?? 0,
      status?.replicas ?? 0,
      translateTimestampSince(metadata.creationTimestamp, context),
    ],
  },
};
