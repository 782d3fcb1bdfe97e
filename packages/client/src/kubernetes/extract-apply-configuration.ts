import { readJson } from '@coxswain/apimachinery/codec/json';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import type { ApplyConfiguration } from '../rest/index.ts';

/**
 * What `fieldManager` last applied to the object, as far as it still owns it: change it and apply it again. No more than
 * the object's kind and name when it owns nothing by apply. `object` is the resource as the server gave it, also when
 * `subresource` names what was applied through.
 *
 * Differs from client-go: it needs no schema, so it goes for every kind. An owned field with content that nobody is
 * said to own piece by piece counts as owned whole. That is so for what is atomic, and else only where the server's
 * defaults filled a `{}` that was applied. `extractApplied` of `@coxswain/apimachinery/apply` takes a schema and is exact.
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
  // Its fields are some of the object's.
  return configuration as ApplyConfiguration<T>;
}

type FieldTree = Readonly<Record<string, unknown>>;

/** What others own at the same place, to tell an atomic value from one whose pieces are owned singly. */
type OtherTrees = readonly unknown[];

/** Keys are the user's: they are read as own properties and written by definition, so that `__proto__` is one as any. */
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

/** Undefined for what was applied empty, and has by now only what others put into it. */
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

/** `k:{"name":"a"}` an item with that key, `v:"a"` an item that is this value, `i:0` the item at that place. */
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
