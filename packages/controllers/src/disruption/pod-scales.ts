import type { Pod } from '@coxswain/api/core/v1';
import { isNotFound } from '@coxswain/apimachinery/errors';
import { GroupKind, GroupVersion, getControllerOf, type OwnerReference } from '@coxswain/apimachinery/meta';
import { ScaleClient } from '@coxswain/client';
import type { ControllerContext } from '../framework/controller/controller.ts';

/** The desired number of pods according to their controllers. */
export interface ExpectedScale {
  readonly expectedPods: number;
  /** Names of pods without a controller. */
  readonly unmanaged: readonly string[];
}

interface Scale {
  readonly uid: string;
  readonly replicas: number;
}

/** Finds the scales of the controllers of pods: built-in kinds in the caches, others by their scale subresource. */
export class PodScales {
  readonly #context: ControllerContext;
  readonly #scales: ScaleClient;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#scales = new ScaleClient(context.rest, { discovery: context.discovery, mapper: context.mapper });
  }

  /** Returns the sum of the replicas of the pods' controllers. Rejects when a controller does not exist or has no scale. */
  async expectedScale(pods: readonly Pod[]): Promise<ExpectedScale> {
    const unmanaged: string[] = [];
    const asked = new Set<string>();
    const replicas = new Map<string, number>();
    for (const pod of pods) {
      const controller = getControllerOf(pod);
      if (!controller) unmanaged.push(pod.metadata.name ?? '');
      if (!controller || asked.has(controller.uid)) continue;
      asked.add(controller.uid);
      const { namespace = '' } = pod.metadata;
      const scale = this.#knownScale(controller, namespace) ?? (await this.#askedScale(controller, namespace));
      if (!scale) throw new Error(`found no controllers for pod "${pod.metadata.name}"`);
      replicas.set(scale.uid, scale.replicas);
    }
    return { expectedPods: [...replicas.values()].reduce((sum, count) => sum + count, 0), unmanaged };
  }

  #knownScale(controller: OwnerReference, namespace: string): Scale | undefined {
    const { apps, core } = this.#context.informers;
    const { group } = GroupVersion.parse(controller.apiVersion);
    const key = `${namespace}/${controller.name}`;
    if (controller.kind === 'ReplicationController' && group === '') {
      return scaleOf(core.v1.replicationControllers.informer.indexer.getByKey(key), controller);
    }
    if (controller.kind === 'StatefulSet' && group === 'apps') {
      return scaleOf(apps.v1.statefulSets.informer.indexer.getByKey(key), controller);
    }
    if (controller.kind !== 'ReplicaSet' || !isAppsGroup(group)) return undefined;
    const replicaSet = apps.v1.replicaSets.informer.indexer.getByKey(key);
    const scale = scaleOf(replicaSet, controller);
    const owner = scale && replicaSet && getControllerOf(replicaSet);
    // If a Deployment owns the ReplicaSet, the Deployment has the total number.
    if (owner?.kind !== 'Deployment') return scale;
    if (!isAppsGroup(GroupVersion.parse(owner.apiVersion).group)) return undefined;
    return scaleOf(apps.v1.deployments.informer.indexer.getByKey(`${namespace}/${owner.name}`), owner);
  }

  async #askedScale({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): Promise<Scale | undefined> {
    const { mapper, discovery } = this.#context;
    const { group, version } = GroupVersion.parse(apiVersion);
    const { resource } = await mapper.restMapping(GroupKind.of(group, kind), [version]);
    try {
      const { metadata, spec } = await this.#scales.inNamespace(namespace).get(resource, name);
      return metadata.uid === uid ? { uid, replicas: spec?.replicas ?? 0 } : undefined;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const { resources } = await discovery.resourcesFor(resource.groupVersion.toString());
      const hasScale = resources.some((one) => one.name === `${resource.resource}/scale` && one.kind === 'Scale');
      if (!hasScale) throw new Error(`${resource.groupResource} does not implement the scale subresource`);
      return undefined;
    }
  }
}

function scaleOf(
  object: { metadata: { uid?: string }; spec?: { replicas?: number } } | undefined,
  { uid }: OwnerReference,
): Scale | undefined {
  return object?.metadata.uid === uid ? { uid, replicas: object.spec?.replicas ?? 1 } : undefined;
}

const isAppsGroup = (group: string): boolean => group === 'apps' || group === 'extensions';
