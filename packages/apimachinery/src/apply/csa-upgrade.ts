import { jsonEquals } from '../json/index.ts';
import type { KubernetesObject, ManagedFieldsEntry, ManagedFieldsOperationType } from '../meta/index.ts';
import { FieldSet } from './field-set.ts';

export interface UpgradeManagedFieldsOptions {
  /** The managers that wrote by update, as client-side apply does. */
  readonly csaManagers: Iterable<string>;
  /** The manager that will apply from now on. */
  readonly ssaManager: string;
  /** Which entries to upgrade; by default those of the resource itself. */
  readonly subresource?: string;
}

/** The entries of that operation that own all of the fields. Entries that cannot be read are passed over. */
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
 * The entries after what client-side apply owned went over to the manager that applies server-side, so that
 * its first apply can remove fields. Throws when an entry it has to unite cannot be read.
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

  // Sets of another version name other fields; only those of the target's version can be united with it.
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
 * The JSON patch that makes that upgrade on the server, refused there when the object has changed meanwhile.
 * Undefined when there is nothing to upgrade.
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
