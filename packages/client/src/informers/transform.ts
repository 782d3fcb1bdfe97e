import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import { deleteUnread } from '../lazy-objects/index.ts';

/** Changes an object on its way into a cache, in place or not. Called once for each object that comes in. */
export type Transform<T> = (object: T) => T;

/** Leaves out `metadata.managedFields`, which is a third of a typical object and of no use to most readers. */
export function stripManagedFields<T extends KubernetesObject>(object: T): T {
  const { metadata } = object;
  if (metadata && 'managedFields' in metadata) {
    // First without parsing them.
    deleteUnread(metadata);
    delete metadata.managedFields;
  }
  return object;
}

/** Nothing in the object can be changed any more. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const child of Object.values(value)) deepFreeze(child);
  return Object.freeze(value);
}
