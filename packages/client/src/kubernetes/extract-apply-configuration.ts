import { readJson } from '@coxswain/apimachinery/codec/json';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import type { ApplyConfiguration } from '../rest/index.ts';

/**
 * Returns the configuration that `fieldManager` last applied, as far as it still owns the fields, so that it can be
 * changed and applied again. Contains only the object's type, name and namespace when the manager owns nothing by
 * apply. `object` is the resource as returned by the server, also for a `subresource`.
 *
 * Differs from client-go: it needs no schema, so it works for every kind. An owned field whose children have no owner
 * counts as owned as a whole. That is correct for atomic fields; otherwise it only happens where the server's defaults
 * filled an applied `{}`. `extractApplied` of `@coxswain/apimachinery/apply` takes a schema and is exact.
 */
export function extractApplyConfiguration<T extends KubernetesObject>(
  object: T & { readonly metadata: { readonly name?: string } },
  fieldManager: string,
  subresource = '',
): ApplyConfiguration<T> {
  const { apiVersion, kind, metadata } = object;
  const entries = metadata.managedFields ?? [];
  const entry = entries.find(
    ({ manager, operation, subresource: through = '' }) =>
      manager === fieldManager && operation === 'Apply' && through === subresource,
  );
  const others = entries.filter((other) => other !== entry).map(({ fieldsV1 }) => fieldsV1);
  const fields = isRecord(entry?.fieldsV1) ? extractFields(object, entry.fieldsV1, others) : {};
  const { name, namespace } = metadata;
  const configuration: unknown = {
    ...(apiVersion !== undefined && { apiVersion }),
    ...(kind !== undefined && { kind }),
    ...fields,
    metadata: { name, ...(namespace && { namespace }), ...(isRecord(fields.metadata) && fields.metadata) },
  };
  // Its fields are a subset of the object's.
  return configuration as ApplyConfiguration<T>;
}

type FieldTree = Readonly<Record<string, unknown>>;

/**
 * The fields that other managers own at the same path. They tell an atomic value from one whose children are owned
 * individually.
 */
type OtherTrees = readonly unknown[];

/**
 * Keys come from users: they are read as own properties and written with defineProperty, so that `__proto__` is an
 * ordinary key.
 */
function extractFields(object: object, tree: FieldTree, others: OtherTrees): Record<string, unknown> {
  const extracted: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(object)) {
    const element = `f:${key}`;
    if (!Object.hasOwn(tree, element)) continue;
    const taken = extractValue(value, tree[element], below(others, element));
    if (taken === undefined) continue;
    Object.defineProperty(extracted, key, { value: taken, enumerable: true, writable: true, configurable: true });
  }
  return extracted;
}

/** Returns undefined for a value that was applied empty and now contains only fields of other managers. */
function extractValue(value: unknown, tree: unknown, others: OtherTrees): unknown {
  if (!hasChildren(tree)) return others.some(hasChildren) ? undefined : value;
  if (Array.isArray(value)) return extractItems(value, tree, others);
  return isRecord(value) ? extractFields(value, tree, others) : value;
}

function extractItems(items: readonly unknown[], tree: FieldTree, others: OtherTrees): unknown[] {
  const elements = Object.keys(tree)
    .filter((element) => element !== '.')
    .map((element) => ({ element, matches: itemMatcher(element) }));
  return items.flatMap((item, index) => {
    const found = elements.find(({ matches }) => matches(item, index));
    const taken = found && extractValue(item, tree[found.element], below(others, found.element));
    return taken === undefined ? [] : [taken];
  });
}

/**
 * Matches list items: `k:{"name":"a"}` an item with that key, `v:"a"` an item with that value, `i:0` the item with that
 * index.
 */
function itemMatcher(element: string): (item: unknown, index: number) => boolean {
  const wanted: unknown = readJson(element.slice(2));
  if (element.startsWith('k:') && isRecord(wanted)) {
    const keys = Object.entries(wanted);
    return (item) => isRecord(item) && keys.every(([key, value]) => Object.hasOwn(item, key) && item[key] === value);
  }
  if (element.startsWith('v:')) return (item) => item === wanted;
  if (element.startsWith('i:')) return (_item, index) => index === wanted;
  throw new Error(`managedFields has a path element of an unknown form: ${element}`);
}

const below = (trees: OtherTrees, element: string): OtherTrees =>
  trees.flatMap((tree) => (isRecord(tree) && Object.hasOwn(tree, element) ? [tree[element]] : []));

const hasChildren = (tree: unknown): tree is FieldTree =>
  isRecord(tree) && Object.keys(tree).some((element) => element !== '.');

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
