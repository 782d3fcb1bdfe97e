import { jsonEquals } from '../json/index.ts';
import type { KubernetesObject, ManagedFieldsEntry, ManagedFieldsOperationType } from '../meta/index.ts';
import { FieldSet } from './field-set.ts';

export interface UpgradeManagedFieldsOptions {
  /** The managers of client-side apply, whose Update entries are upgraded. */
  readonly csaManagers: Iterable<string>;
  /** The manager of the server-side applies that follow. */
  readonly ssaManager: string;
  /** The subresource whose entries are upgraded. By default those of the resource itself. */
  readonly subresource?: string;
}

/** Returns the entries of `operation` that own all of `fields`. Skips entries whose fieldsV1 cannot be decoded. */
export function findFieldsOwners(
  entries: readonly ManagedFieldsEntry[],
  operation: ManagedFieldsOperationType,
  fields: FieldSet,
): ManagedFieldsEntry[] {
  return entries.filter((entry) => {
    if (entry.operation !== operation) return false;
    try {
      return fields.difference(FieldSet.fromFieldsV1(entry.fieldsV1)).isEmpty();
    } catch {
      return false;
    }
  });
}

/**
 * Returns the entries after the fields owned by client-side apply were moved to the Apply entry of `ssaManager`, so that its first
 * server-side apply can remove fields. Throws when the fieldsV1 of an entry to merge cannot be decoded.
 */
export function upgradeManagedFields(
  entries: readonly ManagedFieldsEntry[] | undefined,
  { csaManagers, ssaManager, subresource = '' }: UpgradeManagedFieldsOptions,
): ManagedFieldsEntry[] | undefined {
  let upgraded = entries && [...entries];
  for (const csaManager of csaManagers) {
    upgraded = upgraded && upgradeOne(upgraded, csaManager, ssaManager, subresource);
  }
  return upgraded;
}

function upgradeOne(
  entries: readonly ManagedFieldsEntry[],
  csaManager: string,
  ssaManager: string,
  subresource: string,
): ManagedFieldsEntry[] {
  const isOf = (entry: ManagedFieldsEntry, manager: string, operation: ManagedFieldsOperationType): boolean =>
    entry.manager === manager && entry.operation === operation && (entry.subresource ?? '') === subresource;
  const isCsa = (entry: ManagedFieldsEntry): boolean => isOf(entry, csaManager, 'Update');

  const applied = entries.findIndex((entry) => isOf(entry, ssaManager, 'Apply'));
  const index = applied >= 0 ? applied : entries.findIndex(isCsa);
  const target = entries[index];
  if (target === undefined) return [...entries];

  // Field paths differ between versions: only a set of the target's version can be merged into it.
  const source = entries.find((entry, i) => i !== index && isCsa(entry) && entry.apiVersion === target.apiVersion);
  const own = FieldSet.fromFieldsV1(target.fieldsV1);
  const set = source === undefined ? own : own.union(FieldSet.fromFieldsV1(source.fieldsV1));
  const united: ManagedFieldsEntry = {
    ...target,
    manager: ssaManager,
    operation: 'Apply',
    fieldsV1: set.toFieldsV1(),
  };
  return entries.map((entry, i) => (i === index ? united : entry)).filter((entry) => !isCsa(entry));
}

/** One operation of a JSON patch. */
interface ReplaceOperation {
  readonly op: 'replace';
  readonly path: string;
  readonly value: unknown;
}

/**
 * Returns the JSON patch that does the same upgrade on the server. It replaces resourceVersion too, so the server rejects it when the
 * object has changed. Returns undefined when there is nothing to upgrade.
 */
export function upgradeManagedFieldsPatch(
  object: KubernetesObject,
  options: UpgradeManagedFieldsOptions,
): ReplaceOperation[] | undefined {
  const entries = object.metadata?.managedFields;
  const upgraded = upgradeManagedFields(entries, options);
  if (jsonEquals(entries, upgraded)) return undefined;
  return [
    { op: 'replace', path: '/metadata/managedFields', value: upgraded ?? null },
    { op: 'replace', path: '/metadata/resourceVersion', value: object.metadata?.resourceVersion ?? '' },
  ];
}
