import { messageOf } from '../errors/message-of.ts';
import { goJson } from '../json/go-format.ts';
import { compareStrings } from '../json/go-value.ts';
import type { ManagedFieldsEntry, ManagedFieldsOperationType, Time } from '../meta/index.ts';
import { quote } from '../strconv/quote.ts';
import { completed, type Steps } from '../steps/index.ts';
import { FieldSet } from './field-set.ts';

/** One entry of managedFields: what a manager owns, and by which operation and version. */
export interface FieldsOwner {
  readonly manager: string;
  readonly operation: ManagedFieldsOperationType;
  readonly apiVersion: string;
  readonly subresource: string;
  /** When the manager last changed the object. */
  readonly time?: Time | undefined;
  readonly set: FieldSet;
}

/** Owners by identity. */
export type Managers = ReadonlyMap<string, FieldsOwner>;

/**
 * What makes two entries the same owner. A manager that applies is the same in every version. The text is the one
 * upstream uses, since the order of some lists depends on it.
 */
export function ownerIdentity(owner: Omit<FieldsOwner, 'set' | 'time'>): string {
  const { manager, operation, apiVersion, subresource } = owner;
  const own = manager === '' ? '' : `"manager":${goJson(manager)},`;
  const version = operation === 'Update' && apiVersion !== '' ? `,"apiVersion":${goJson(apiVersion)}` : '';
  const part = subresource === '' ? '' : `,"subresource":${goJson(subresource)}`;
  return `{${own}"operation":"${operation}"${version}${part}}`;
}

/** Reads metadata.managedFields. Throws when an entry is not one that upstream would have written. */
export const decodeManagedFields = (entries: readonly ManagedFieldsEntry[] | undefined): Managers =>
  completed(decodeManagedFieldsInSteps(entries));

/** The same in steps, one for each entry. */
export function* decodeManagedFieldsInSteps(entries: readonly ManagedFieldsEntry[] | undefined): Steps<Managers> {
  const managers = new Map<string, FieldsOwner>();
  for (const [i, entry] of (entries ?? []).entries()) {
    const owner = decodeEntry(entry, i);
    managers.set(ownerIdentity(owner), owner);
    yield;
  }
  return managers;
}

function decodeEntry(entry: ManagedFieldsEntry, index: number): FieldsOwner {
  const { manager = '', operation, apiVersion, time, fieldsType, fieldsV1, subresource = '' } = entry;
  if (operation !== 'Apply' && operation !== 'Update') throw new Error('operation must be `Apply` or `Update`');
  if (!apiVersion) throw new Error('apiVersion must not be empty');
  if (!fieldsType) throw new Error(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== 'FieldsV1')
    throw new Error(`invalid fieldsType ${quote(fieldsType)} in managed fields entry ${index}`);
  const set = decodeFields(fieldsV1, manager);
  return { manager, operation, apiVersion, subresource, time: time ?? undefined, set };
}

function decodeFields(fieldsV1: unknown, manager: string): FieldSet {
  try {
    return FieldSet.fromFieldsV1(fieldsV1);
  } catch (cause) {
    // Differs from upstream: it prints the entry as Go prints a struct, memory addresses included.
    const why = messageOf(cause);
    throw new Error(`error decoding versioned set from ${quote(manager)}: error decoding set: ${why}`, { cause });
  }
}

/** Writes metadata.managedFields in upstream's order; undefined when nobody owns anything. */
export const encodeManagedFields = (managers: Managers): ManagedFieldsEntry[] | undefined =>
  completed(encodeManagedFieldsInSteps(managers));

/** The same in steps, one for each owner. */
export function* encodeManagedFieldsInSteps(managers: Managers): Steps<ManagedFieldsEntry[] | undefined> {
  if (managers.size === 0) return undefined;
  const entries: ManagedFieldsEntry[] = [];
  for (const owner of [...managers.values()].sort(compareOwners)) {
    entries.push(encodeEntry(owner));
    yield;
  }
  return entries;
}

/** The same of one owner. */
export function encodeEntry({
  manager,
  operation,
  apiVersion,
  subresource,
  time,
  set,
}: FieldsOwner): ManagedFieldsEntry {
  const entry: ManagedFieldsEntry = {};
  if (manager !== '') entry.manager = manager;
  entry.operation = operation;
  entry.apiVersion = apiVersion;
  if (time !== undefined) entry.time = time;
  entry.fieldsType = 'FieldsV1';
  entry.fieldsV1 = set.toFieldsV1();
  if (subresource !== '') entry.subresource = subresource;
  return entry;
}

/** Seconds since the epoch, 0 without a time. */
export const ownerSeconds = ({ time }: FieldsOwner): number =>
  time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);

const compareOwners = (a: FieldsOwner, b: FieldsOwner): number =>
  compareStrings(a.operation, b.operation) ||
  ownerSeconds(a) - ownerSeconds(b) ||
  compareStrings(a.manager, b.manager) ||
  compareStrings(a.apiVersion, b.apiVersion) ||
  compareStrings(a.subresource, b.subresource);
