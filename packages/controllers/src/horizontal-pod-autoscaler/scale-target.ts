import type { Scale } from '@coxswain/api/autoscaling/v1';
import type { HorizontalPodAutoscaler } from '@coxswain/api/autoscaling/v2';
import { isConflict } from '@coxswain/apimachinery/errors';
import { GroupKind, type GroupResource, GroupVersion } from '@coxswain/apimachinery/meta';
import { ScaleClient } from '@coxswain/client';
import type { ControllerContext } from '../framework/controller/controller.ts';

const tries = 5;

/** The scale of a target, and the resource and namespace to update it in. */
export interface FoundScale {
  readonly scale: Scale;
  readonly resource: GroupResource;
  readonly namespace: string;
}

export class ScaleTargets {
  readonly #context: ControllerContext;
  readonly #scales: ScaleClient;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#scales = new ScaleClient(context.rest, { discovery: context.discovery, mapper: context.mapper });
  }

  /**
   * Reads the scale of the target. Rejects when the kind or the object does not exist or it has no scale; of several errors with
   * the first.
   */
  async find({ metadata: { namespace = '' }, spec }: HorizontalPodAutoscaler): Promise<FoundScale> {
    const { apiVersion = '', kind, name } = spec.scaleTargetRef;
    const { group } = GroupVersion.parse(apiVersion);
    const mappings = await this.#context.mapper.restMappings(GroupKind.of(group, kind));
    let firstError: unknown;
    for (const { resource } of mappings) {
      const { groupResource } = resource;
      try {
        const scale = await this.#scales.inNamespace(namespace).get(groupResource, name);
        return { scale, resource: groupResource, namespace };
      } catch (error) {
        firstError ??= error;
      }
    }
    throw firstError ?? new Error('unrecognized resource');
  }

  /** Sets the number of replicas. On a conflict reads the scale and tries again. */
  async resize({ scale, resource, namespace }: FoundScale, replicas: number): Promise<void> {
    const scales = this.#scales.inNamespace(namespace);
    let current = scale;
    for (let left = tries; ; left--) {
      try {
        await scales.update(resource, { ...current, spec: { ...current.spec, replicas } });
        return;
      } catch (error) {
        if (!isConflict(error) || left === 1) throw error;
        current = await scales.get(resource, scale.metadata.name ?? '').catch(() => current);
      }
    }
  }
}
