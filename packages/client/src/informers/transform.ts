import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import { deleteUnread } from '../lazy-objects/index.ts';

/**
 * Changes an object before it is stored in a cache, in place or by returning a new one. Called once for each received
 * object.
 */
export type Transform<T> = (object: T) => T;

/** Removes `metadata.managedFields`, which is a third of a typical object and unused by most readers. */
export function stripManagedFields<T extends KubernetesObject>(object: T): T {
  const { metadata } = object;
  if (metadata && 'managedFields' in metadata) {
    // Deletes them without parsing, if they are unread.
    deleteUnread(metadata);
    delete metadata.managedFields;
  }
  return object;
}

/** Freezes an object and everything in it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const child of Object.values(value)) deepFreeze(child);
  return Object.freeze(value);
}
