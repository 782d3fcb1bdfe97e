import { jsonEquals, type KubernetesObject } from '@coxswain/apimachinery';
import { clearField, takeField } from './owned-fields.ts';
import type { Strategy, StrategyContext } from './strategy.ts';

/** Prepares a create, before admission and validation. Returns a new object that shares unchanged values with the input. */
export function prepareForCreate<T extends KubernetesObject>(
  strategy: Strategy<T>,
  input: T,
  context: StrategyContext,
): T {
  let object = input;
  for (const subresource of Object.values(strategy.subresources ?? {})) {
    if (subresource.clearedOnCreate === false) continue;
    for (const path of subresource.owns) object = clearField(object, path);
  }
  if (strategy.generation) object = withGeneration(object, 1);
  strategy.prepareForCreate?.(object, context);
  return object;
}

/**
 * Prepares an update of the main resource, before admission and validation: fields that subresources own keep their old
 * values.
 */
export function prepareForUpdate<T extends KubernetesObject>(
  strategy: Strategy<T>,
  input: T,
  old: T,
  context: StrategyContext,
): T {
  let object = input;
  for (const subresource of Object.values(strategy.subresources ?? {})) {
    for (const path of subresource.owns) object = takeField(object, old, path);
  }
  object = withGeneration(object, old.metadata?.generation);
  strategy.prepareForUpdate?.(object, old, context);
  return raiseGeneration(strategy, object, old);
}

/**
 * Prepares an update of a subresource: takes over only the fields that it owns or takes. Throws when the kind has no
 * such subresource.
 */
export function prepareForSubresourceUpdate<T extends KubernetesObject>(
  strategy: Strategy<T>,
  subresourceName: string,
  input: T,
  old: T,
  context: StrategyContext,
): T {
  const subresource = strategy.subresources?.[subresourceName];
  if (!subresource) throw new Error(`no strategy for the subresource ${subresourceName}`);
  const metadata = subresource.metadata === 'none' ? withManagedFieldsOf(input, old) : input.metadata;
  let object: T = { ...old, metadata };
  const written = [...subresource.owns, ...(subresource.takes ?? [])];
  for (const path of written) object = takeField(object, input, path);
  object = withGeneration(object, old.metadata?.generation);
  subresource.prepareForUpdate?.(object, old, context);
  // The generation counts changes of desired state, and status is none, even when the request changed other fields too.
  return written.every((path) => path === 'status') ? object : raiseGeneration(strategy, object, old);
}

/** Returns the old metadata with the new managedFields, which are always taken over. */
function withManagedFieldsOf({ metadata }: KubernetesObject, old: KubernetesObject): KubernetesObject['metadata'] {
  const { managedFields: _, ...rest } = old.metadata ?? {};
  return metadata?.managedFields ? { ...rest, managedFields: metadata.managedFields } : rest;
}

function raiseGeneration<T extends KubernetesObject>({ generation }: Strategy<T>, object: T, old: T): T {
  if (!generation) return object;
  const changed =
    typeof generation === 'function'
      ? generation(object, old)
      : generation.some((field) => !jsonEquals(object[field as keyof T], old[field as keyof T]));
  return changed ? withGeneration(object, increment(old.metadata?.generation ?? 0)) : object;
}

function withGeneration<T extends KubernetesObject>(object: T, generation: number | undefined): T {
  if (object.metadata?.generation === generation) return object;
  const { generation: _, ...metadata } = object.metadata ?? {};
  return { ...object, metadata: generation === undefined ? metadata : { ...metadata, generation } };
}

/** An int64 beyond 2^53 is a bigint at run time, although its type says number. */
function increment(generation: number | bigint): number {
  return typeof generation === 'bigint' ? Number(generation + 1n) : generation + 1;
}
