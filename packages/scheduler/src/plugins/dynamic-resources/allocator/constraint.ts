import type { DeviceAttribute, DeviceConstraint } from '@coxswain/api/resource/v1';
import type { DeviceEntry } from './device-entry.ts';
import type { RequestOption } from './request-option.ts';

/** A constraint on the devices of a claim. */
export interface Constraint {
  /** Returns whether the device satisfies the constraint, and adds it if so. */
  add(option: RequestOption, entry: DeviceEntry): boolean;
  /** Removes the device that was added last. */
  remove(option: RequestOption): void;
}

/** Undefined for an unknown kind of constraint. */
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

/** Names may refer to a request or to one of its alternatives. Without names the constraint applies to all requests. */
function requestTest(names: readonly string[]): AppliesTo {
  if (names.length === 0) return () => true;
  return ({ requestName, fullName }) => names.includes(requestName) || names.includes(fullName);
}

class MatchAttribute implements Constraint {
  readonly #attribute: string;
  readonly #applies: AppliesTo;
  /** The value of the first device; meaningless while `#count` is 0. */
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
  /** By request. As upstream, a device is compared with the last device of each request. */
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

/** Looks up an attribute by its full name, or without the domain when that is the driver's. */
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

/** A value of an unknown type is never distinct. */
function isDistinct(a: DeviceAttribute, b: DeviceAttribute): boolean {
  const type = typeOf(a);
  return type !== undefined && a[type] !== b[type];
}

const types = ['string', 'int', 'bool', 'version'] as const;

const typeOf = (attribute: DeviceAttribute): (typeof types)[number] | undefined =>
  types.find((type) => attribute[type] !== undefined);
