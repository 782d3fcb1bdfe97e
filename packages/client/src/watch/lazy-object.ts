const decoder = new TextDecoder();

interface Head {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: unknown;
}

/** How many objects with unread parts there were, and of how many these were looked at. */
export interface Interest {
  offered: number;
  taken: number;
}

/** An object with parts that may be unread. */
interface Lazy {
  readonly [unread]?: UnreadParts | undefined;
}

/** What Node asks of an object that it prints. */
const inspect = Symbol.for('nodejs.util.inspect.custom');
const unread = Symbol('unread');

/** The text of members that have not been looked at, `"spec":{…},"status":{…}`, until somebody does. */
class UnreadParts {
  readonly members: readonly string[];
  readonly #text: Uint8Array;
  /** Has the last word on what was read. */
  prepare: (parts: object) => object = (parts) => parts;
  readonly #interest: Interest | undefined;

  constructor(members: readonly string[], text: Uint8Array, interest?: Interest) {
    this.members = members;
    this.#text = text;
    this.#interest = interest;
    if (interest) interest.offered++;
  }

  /** Puts the parts into the object, as ordinary properties; into one that is frozen they cannot go. */
  readInto(object: object): ReadonlyMap<string, unknown> {
    if (this.#interest) this.#interest.taken++;
    const parts = new Map<string, unknown>(Object.entries(this.prepare(this.#parse())));
    if (Object.isFrozen(object)) return parts;
    for (const member of this.members) {
      const value = parts.get(member);
      // That one the server left out.
      if (value === undefined) Reflect.deleteProperty(object, member);
      else Object.defineProperty(object, member, { value, writable: true, enumerable: true, configurable: true });
    }
    Object.defineProperty(object, unread, { value: undefined });
    return parts;
  }

  #parse(): object {
    try {
      return JSON.parse(`{${decoder.decode(this.#text)}}`);
    } catch {
      // The parser's own message quotes the text, which may be secret.
      throw new SyntaxError('the server sent an object that is no JSON');
    }
  }
}

/** Reads when it is asked, and when it is set. The same functions for all objects, so that the engine gives them one form. */
const accessorOf = (member: string): PropertyDescriptor & ThisType<Lazy> => ({
  get() {
    return this[unread]?.readInto(this).get(member);
  },
  set(value: unknown) {
    this[unread]?.readInto(this);
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
export function lazyObject({ kind, apiVersion, metadata }: Head, text: Uint8Array, interest?: Interest): object {
  const object = { kind, apiVersion, metadata };
  Object.defineProperty(object, 'spec', spec);
  Object.defineProperty(object, 'status', status);
  return waiting(object, parts, text, interest);
}

/** The metadata, whose managedFields are such a text. They come last: so it costs the engine little to take them out again. */
export function lazyMetadata(metadata: object, text: Uint8Array): object {
  waiting(metadata, bookkeeping, text);
  return Object.defineProperty(metadata, 'managedFields', managedFields);
}

/** Neither property is copied with the object, or seen by whoever goes through them. */
function waiting(object: object, members: readonly string[], text: Uint8Array, interest?: Interest): object {
  Object.defineProperty(object, unread, { value: new UnreadParts(members, text, interest), configurable: true });
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
  if (lazy[unread]) Object.defineProperty(object, unread, { value: undefined });
}

/** When the parts are read, they are made what this gives; an object whose parts have been read is left alone. */
export function prepareWhenRead(object: Lazy, prepare: (parts: object) => object): void {
  const parts = object[unread];
  if (parts) parts.prepare = prepare;
}
