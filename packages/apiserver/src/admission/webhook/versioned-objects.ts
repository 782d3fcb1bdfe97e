import type { GroupVersionKind, KubernetesObject } from '@coxswain/apimachinery';
import { newInternalError } from '@coxswain/apimachinery';
import type { AdmissionAttributes } from '../admission.ts';

/** The objects of a write in one version. */
export interface VersionedObjects {
  readonly object: KubernetesObject | undefined;
  readonly oldObject: KubernetesObject | undefined;
}

/** Returns the objects of a write in a version. Throws InternalError when they cannot be converted. */
export async function inVersion(
  { object, oldObject, objects }: AdmissionAttributes,
  kind: GroupVersionKind,
): Promise<VersionedObjects> {
  const convert = (one: KubernetesObject | undefined) => (one && objects ? objects.toKind(one, kind) : one);
  try {
    return { object: await convert(object), oldObject: await convert(oldObject) };
  } catch (error) {
    throw newInternalError(error instanceof Error ? error : String(error));
  }
}

/**
 * The objects of a write during mutation, in the version of the last webhook. Changes are written back to the
 * attributes when another version is requested, and at the end.
 */
export class MutableVersionedObjects {
  readonly #attributes: AdmissionAttributes;
  #kind: GroupVersionKind | undefined;
  #objects: VersionedObjects | undefined;
  #changed = false;

  constructor(attributes: AdmissionAttributes) {
    this.#attributes = attributes;
  }

  /** The current object, in any version. */
  get object(): KubernetesObject | undefined {
    return this.#objects?.object ?? this.#attributes.object;
  }

  async inVersion(kind: GroupVersionKind): Promise<VersionedObjects> {
    if (this.#objects && this.#kind === kind) return this.#objects;
    await this.writeBack();
    this.#kind = kind;
    this.#objects = await inVersion(this.#attributes, kind);
    return this.#objects;
  }

  /** Replaces the object. It must be in the version that was requested last. */
  replace(object: KubernetesObject): void {
    this.#objects = { object, oldObject: this.#objects?.oldObject };
    this.#changed = true;
  }

  /** Writes the changed object back to the attributes. Throws when it cannot be converted. */
  async writeBack(): Promise<void> {
    const changed = this.#objects?.object;
    const { object, objects } = this.#attributes;
    if (!this.#changed || !changed || !object) return;
    this.#changed = false;
    const hub = objects ? await objects.toHub(changed) : changed;
    for (const key of Object.keys(object)) Reflect.deleteProperty(object, key);
    for (const [key, value] of Object.entries(hub))
      Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  }
}
