import { messageOf } from '../errors/message-of.ts';
import { goJson } from '../json/go-format.ts';
import { compareStrings } from '../json/go-value.ts';
import type { ManagedFieldsEntry, ManagedFieldsOperationType, Time } from '../meta/index.ts';
import { quote } from '../strconv/quote.ts';
import { completed, type Steps } from '../steps/index.ts';
import { FieldSet } from './field-set.ts';

/** One entry of managedFields: the fields that a manager owns through one operation, version and subresource. */
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
 * Returns the key that identifies an owner. The Apply entries of a manager are one owner in all versions. The text is the same as
 * upstream's, since the order of some lists depends on it.
 */
export function ownerIdentity(owner: Omit<FieldsOwner, 'set' | 'time'>): string {
  const { manager, operation, apiVersion, subresource } = owner;
  const own = manager === '' ? '' : `"manager":${goJson(manager)},`;
  const version = operation === 'Update' && apiVersion !== '' ? `,"apiVersion":${goJson(apiVersion)}` : '';
  const part = subresource === '' ? '' : `,"subresource":${goJson(subresource)}`;
  return `{${own}"operation":"${operation}"${version}${part}}`;
}

/** Decodes metadata.managedFields. Throws when an entry has an invalid operation, apiVersion, fieldsType or fieldsV1. */
export const decodeManagedFields = (entries: readonly ManagedFieldsEntry[] | undefined): Managers =>
  completed(decodeManagedFieldsInSteps(entries));

/** Like `decodeManagedFields`, with one step per entry. */
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
    // Differs from upstream: its message prints the entry as a Go struct, memory addresses included.
    const why = messageOf(cause);
    throw new Error(`error decoding versioned set from ${quote(manager)}: error decoding set: ${why}`, { cause });
  }
}

/** Encodes metadata.managedFields in upstream's order. Returns undefined when there are no owners. */
export const encodeManagedFields = (managers: Managers): ManagedFieldsEntry[] | undefined =>
  completed(encodeManagedFieldsInSteps(managers));

/** Like `encodeManagedFields`, with one step per owner. */
export function* encodeManagedFieldsInSteps(managers: Managers): Steps<ManagedFieldsEntry[] | undefined> {
  if (managers.size === 0) return undefined;
  const entries: ManagedFieldsEntry[] = [];
  for (const owner of [...managers.values()].sort(compareOwners)) {
    entries.push(encodeEntry(owner));
    yield;
  }
  return entries;
}

/** Encodes one owner as an entry of managedFields. */
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

/** The owner's time in seconds since the epoch; 0 without a time. */
export const ownerSeconds = ({ time }: FieldsOwner): number =>
  time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);

const compareOwners = (a: FieldsOwner, b: FieldsOwner): number =>
  compareStrings(a.operation, b.operation) ||
  ownerSeconds(a) - ownerSeconds(b) ||
  compareStrings(a.manager, b.manager) ||
  compareStrings(a.apiVersion, b.apiVersion) ||
  compareStrings(a.subresource, b.subresource);
