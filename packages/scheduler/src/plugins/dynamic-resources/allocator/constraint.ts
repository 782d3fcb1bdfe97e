import type { DeviceAttribute, DeviceConstraint } from '@coxswain/api/resource/v1';
import type { DeviceEntry } from './device-entry.ts';
import type { RequestOption } from './request-option.ts';

/** What the devices of a claim must have in common, or must not. */
export interface Constraint {
  /** Whether the device may be one of them; then it is counted as one. */
  add(option: RequestOption, entry: DeviceEntry): boolean;
  /** Takes back what was added last. */
  remove(option: RequestOption): void;
}

/** Undefined for a kind that is not known. */
export function newConstraint({
  requests,
  matchAttribute,
  distinctAttribute,
}: DeviceConstraint): Constraint | undefined {
  const applies = requestTest(requests ?? []);
  if (matchAttribute !== undefined) return new MatchAttribute(matchAttribute, applies);
  if (distinctAttribute !== undefined) return new DistinctAttribute(distinctAttribute, applies);
  return undefined;
}

type AppliesTo = (option: RequestOption) => boolean;

/** Requests may be named as a whole, or one of their alternatives; no names at all are for every request. */
function requestTest(names: readonly string[]): AppliesTo {
  if (names.length === 0) return () => true;
  return ({ requestName, fullName }) => names.includes(requestName) || names.includes(fullName);
}

class MatchAttribute implements Constraint {
  readonly #attribute: string;
  readonly #applies: AppliesTo;
  /** Of the first device; meaningless while there is none. */
  #value: DeviceAttribute = {};
  #count = 0;

  constructor(attribute: string, applies: AppliesTo) {
    this.#attribute = attribute;
    this.#applies = applies;
  }

  add(option: RequestOption, entry: DeviceEntry): boolean {
    if (!this.#applies(option)) return true;
    const value = attributeOf(entry, this.#attribute);
    if (!value) return false;
    if (this.#count === 0) this.#value = value;
    else if (!isSameValue(value, this.#value)) return false;
    this.#count++;
    return true;
  }

  remove(option: RequestOption): void {
    if (this.#applies(option)) this.#count--;
  }
}

class DistinctAttribute implements Constraint {
  readonly #attribute: string;
  readonly #applies: AppliesTo;
  /** By request: as upstream has it, a device is compared with the last one of each request. */
  readonly #values = new Map<string, DeviceAttribute>();
  #count = 0;

  constructor(attribute: string, applies: AppliesTo) {
    this.#attribute = attribute;
    this.#applies = applies;
  }

  add(option: RequestOption, entry: DeviceEntry): boolean {
    if (!this.#applies(option)) return true;
    const value = attributeOf(entry, this.#attribute);
    if (!value) return false;
    if (this.#count > 0) {
      for (const other of this.#values.values()) if (!isDistinct(value, other)) return false;
    }
    this.#values.set(option.requestName, value);
    this.#count++;
    return true;
  }

  remove(option: RequestOption): void {
    if (!this.#applies(option)) return;
    this.#values.delete(option.requestName);
    this.#count--;
  }
}

/** By its full name, or without the domain where that is the driver's. */
function attributeOf({ device, slice }: DeviceEntry, name: string): DeviceAttribute | undefined {
  const attributes = device.attributes ?? {};
  if (Object.hasOwn(attributes, name)) return attributes[name];
  const slash = name.indexOf('/');
  if (slash < 0 || name.slice(0, slash) !== slice.spec.driver) return undefined;
  const id = name.slice(slash + 1);
  return Object.hasOwn(attributes, id) ? attributes[id] : undefined;
}

function isSameValue(a: DeviceAttribute, b: DeviceAttribute): boolean {
  const type = typeOf(a);
  return type !== undefined && a[type] === b[type];
}

/** A value of a type that is not known is never distinct. */
function isDistinct(a: DeviceAttribute, b: DeviceAttribute): boolean {
  const type = typeOf(a);
  return type !== undefined && a[type] !== b[type];
}

const types = ['string', 'int', 'bool', 'version'] as const;

const typeOf = (attribute: DeviceAttribute): (typeof types)[number] | undefined =>
  types.find((type) => attribute[type] !== undefined);
