import { UnreadParts, type Waiting } from './unread-parts.ts';

interface Head {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: unknown;
}

/** An object with parts that may be unread. */
interface Lazy {
  readonly [unread]?: UnreadParts | undefined;
}

/** What Node asks of an object that it prints. */
const inspect = Symbol.for('nodejs.util.inspect.custom');
const unread = Symbol('unread');

/** Puts the parts into the object, as ordinary properties; into one that is frozen they cannot go. */
function readInto(object: object, parts: UnreadParts): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>(Object.entries(parts.read()));
  if (Object.isFrozen(object)) return values;
  for (const member of parts.members) {
    const value = values.get(member);
    // That one the server left out.
    if (value === undefined) Reflect.deleteProperty(object, member);
    else Object.defineProperty(object, member, { value, writable: true, enumerable: true, configurable: true });
  }
  forgetUnread(object);
  return values;
}

/** Reads when it is asked, and when it is set. The same functions for all objects, so that the engine gives them one form. */
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

/** What may wait in an object, and how it is asked for. */
const parts = ['spec', 'status'] as const;
const spec = accessorOf('spec');
const status = accessorOf('status');
/** The same in its metadata. */
const bookkeeping = ['managedFields'] as const;
const managedFields = accessorOf('managedFields');

/**
 * An object like any other, of which some parts are only a text until they are looked at, copied, compared or printed. From then on
 * they are plain properties; they can also be set. A part that the text does not have is there as well until then, as undefined.
 */
export function lazyObject({ kind, apiVersion, metadata }: Head, text: Uint8Array, waiting?: Waiting): object {
  const object = { kind, apiVersion, metadata };
  Object.defineProperty(object, 'spec', spec);
  Object.defineProperty(object, 'status', status);
  return withUnread(object, new UnreadParts(parts, text, waiting?.borrowed, waiting));
}

/** The metadata, whose managedFields are such a text. They come last: so it costs the engine little to take them out again. */
export function lazyMetadata(metadata: object, text: Uint8Array, waiting?: Waiting): object {
  withUnread(metadata, new UnreadParts(bookkeeping, text, waiting?.borrowed));
  return Object.defineProperty(metadata, 'managedFields', managedFields);
}

/** Neither property is copied with the object, or seen by whoever goes through them. */
function withUnread(object: object, value: UnreadParts): object {
  Object.defineProperty(object, unread, { value, configurable: true });
  return Object.defineProperty(object, inspect, printing);
}

/** The members of the object that are still unread. To look at them would read them. */
export const unreadMembers = (object: Lazy): readonly string[] => object[unread]?.members ?? none;
const none: readonly string[] = [];

/** Whether parts of the object are still unread. To look at them would read them. */
export const isUnread = (object: Lazy): boolean => object[unread] !== undefined;

/** Lets go of the text of what is unread; whoever says so takes these members away. */
export function forgetUnread(object: object): void {
  const lazy: Lazy = object;
  if (!lazy[unread]) return;
  lazy[unread].forget();
  Object.defineProperty(object, unread, { value: undefined });
}

/**
 * For the next state of an object: what of it is unread takes from the old state what is the same there, and is made what `prepare`
 * gives when it is read. An object whose parts have been read is left alone.
 */
export function followUnread(old: Lazy, object: Lazy, prepare: (parts: object) => object): void {
  const parts = object[unread];
  if (!parts) return;
  parts.prepare = prepare;
  if (old[unread]) parts.takeFrom(old[unread]);
}
