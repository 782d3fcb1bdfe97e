import { type UnreadCounters, UnreadParts } from './unread-parts.ts';

interface Head {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: unknown;
}

/** An object that may have unread members. */
interface Lazy {
  readonly [unread]?: UnreadParts | undefined;
}

/** The method that Node's `util.inspect` calls. */
const inspect = Symbol.for('nodejs.util.inspect.custom');
const unread = Symbol('unread');

/** Replaces the accessors by ordinary properties, except in a frozen object. Returns the members' values. */
function readInto(object: object, parts: UnreadParts): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>(Object.entries(parts.read()));
  if (Object.isFrozen(object)) return values;
  for (const member of parts.members) {
    const value = values.get(member);
    // The server left this member out.
    if (value === undefined) Reflect.deleteProperty(object, member);
    else Object.defineProperty(object, member, { value, writable: true, enumerable: true, configurable: true });
  }
  releaseUnread(object);
  return values;
}

/** One pair of accessor functions per member, used by all objects: so V8 gives them all one hidden class. */
const accessorOf = (member: string): PropertyDescriptor & ThisType<Lazy> => ({
  get() {
    const parts = this[unread];
    return parts && readInto(this, parts).get(member);
  },
  set(value: unknown) {
    const parts = this[unread];
    if (parts) readInto(this, parts);
    Object.assign(this, { [member]: value });
  },
  enumerable: true,
  configurable: true,
});
const printing: PropertyDescriptor & ThisType<object> = {
  value() {
    return { ...this };
  },
};

const objectMembers = ['spec', 'status'] as const;
const spec = accessorOf('spec');
const status = accessorOf('status');
const metadataMembers = ['managedFields'] as const;
const managedFields = accessorOf('managedFields');

/** An object whose `spec` and `status` are unread. Until they are read, a member that the text does not have exists as undefined. */
export function lazyObject({ kind, apiVersion, metadata }: Head, text: Uint8Array, counters?: UnreadCounters): object {
  const object = { kind, apiVersion, metadata };
  Object.defineProperty(object, 'spec', spec);
  Object.defineProperty(object, 'status', status);
  return withUnread(object, new UnreadParts(objectMembers, text, counters?.borrowed, counters));
}

/** Makes managedFields an unread member of the metadata. It is the last member: V8 deletes the last one cheaply. */
export function lazyMetadata(metadata: object, text: Uint8Array, counters?: UnreadCounters): object {
  withUnread(metadata, new UnreadParts(metadataMembers, text, counters?.borrowed));
  return Object.defineProperty(metadata, 'managedFields', managedFields);
}

/** Neither property is enumerable, so copies and loops do not see them. */
function withUnread(object: object, value: UnreadParts): object {
  Object.defineProperty(object, unread, { value, configurable: true });
  return Object.defineProperty(object, inspect, printing);
}

/** The members of the object that are still unread. Accessing one would parse it. */
export const unreadMembers = (object: Lazy): readonly string[] => object[unread]?.members ?? none;
const none: readonly string[] = [];

/** True if members of the object are still unread. */
export const isUnread = (object: Lazy): boolean => object[unread] !== undefined;

/** Deletes the members that are still unread, and their text, without parsing them. */
export function deleteUnread(object: object): void {
  for (const member of unreadMembers(object)) Reflect.deleteProperty(object, member);
  releaseUnread(object);
}

function releaseUnread(object: object): void {
  const lazy: Lazy = object;
  if (!lazy[unread]) return;
  lazy[unread].release();
  Object.defineProperty(object, unread, { value: undefined });
}

/**
 * For the next state of an object: its unread text is shared with the old state's where equal, and `prepare` is called with its members
 * when they are read. Does nothing if the next state has no unread members.
 */
export function continueUnread(old: Lazy, next: Lazy, prepare: (parts: object) => object): void {
  const parts = next[unread];
  if (!parts) return;
  parts.prepare = prepare;
  if (old[unread]) parts.shareWith(old[unread]);
}
