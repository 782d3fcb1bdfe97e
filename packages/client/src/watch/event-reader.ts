import { isObjectEvent, isWatchEvent, type ObjectEvent, type WatchEvent } from '@coxswain/apimachinery/watch';
import { lazyMetadata } from './lazy-object.ts';
import {
  fewestLazyBytes,
  findParts,
  isAt,
  isBuiltIn,
  isObject,
  type Parts,
  parsedText,
  type Range,
  readLazily,
  specStart,
  statusStart,
  textOf,
  textWithout,
} from './lazy-reading.ts';
import { isNodeBytes, type NodeBytes } from './node-bytes.ts';
import type { UnreadParts, Waiting } from './unread-parts.ts';
import type { CacheNeeds } from './watch.ts';

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const theEnd = encoder.encode('}}');
/** The kind of what has nothing but metadata. */
const onlyMetadata = 'PartialObjectMetadata';

/**
 * So many objects whose parts waited are needed to know how many of them somebody looks at; of more than the most, the older count
 * for half. (They are looked at a while after they were read: a line comes with many others.)
 */
const fewestKnown = 32;
const mostKnown = 256;
/** One of so many waits although such parts are looked at, to see whether they still are. */
const probeEvery = 128;

/** How the events of a watch begin that are of one type, up to the metadata: they are all of one kind; and what becomes of them. */
interface Head {
  readonly bytes: Uint8Array;
  readonly type: ObjectEvent<unknown>['type'];
  readonly kind: string;
  readonly apiVersion: string;
  /** For each type by itself: a cache reads what is new to it, and of what it has nobody may want to know more than that it changed. */
  readonly waiting: Waiting;
  /** How many were read at once since one was not. */
  sinceProbe: number;
}

/**
 * Reads the lines of one watch. Where a line brings a large object, `spec`, `status` and managedFields are read when somebody looks at
 * them: that is most of the work, and of most events all that anybody looks at is the rest of the metadata. Where `spec` or `status`
 * turn out to be looked at mostly, they are read at once, since to wait costs more than it saves then.
 *
 * For which objects that is done: `readLazily`.
 */
export class EventReader {
  /** One for each type of event at most. */
  readonly #heads: Head[] = [];
  /** Parts whose text is still a part of a line. */
  readonly #borrowed: UnreadParts[] = [];
  #cache: CacheNeeds | undefined;

  /** The events go into a cache from now on. */
  feed(cache: CacheNeeds): void {
    this.#cache = cache;
  }

  /** Undefined for what is no event. Whether a `spec` and `status` that wait are JSON is found when they are read. */
  read(line: Uint8Array): WatchEvent | undefined {
    const event = this.#read(line);
    // However it was read: nothing of what is gone is held.
    if (event?.type === 'DELETED') this.#cache?.recent.forget(uidOf(event.object));
    return event;
  }

  #read(line: Uint8Array): WatchEvent | undefined {
    const lazy = line.length < fewestLazyBytes ? undefined : this.#readLazily(line);
    if (lazy) return lazy;
    const event = parsed(line);
    if (!isWatchEvent(event)) return undefined;
    if (line.length >= fewestLazyBytes && isObjectEvent(event)) this.#learn(line, event);
    return event;
  }

  /**
   * Makes what is still unread independent of the lines, which are parts of something larger. Not at once: by then some of it has
   * been read, thrown away, or found to be held already.
   */
  keepUnread(): void {
    for (const parts of this.#borrowed) parts.keep();
    this.#borrowed.length = 0;
  }

  /** Remembers how the line begins, if it is of the form in which the parts of others can be found by that. */
  #learn(line: Uint8Array, { type, object: { kind, apiVersion } }: ObjectEvent<Record<string, unknown>>): void {
    if (this.#heads.some((head) => head.type === type)) return;
    if (typeof kind !== 'string' || typeof apiVersion !== 'string' || !isBuiltIn(apiVersion)) return;
    const [typeText, kindText, version] = [type, kind, apiVersion].map((part) => JSON.stringify(part));
    const bytes = encoder.encode(
      `{"type":${typeText},"object":{"kind":${kindText},"apiVersion":${version},"metadata":`,
    );
    if (!isAt(line, 0, bytes)) return;
    const waiting = { offered: 0, taken: 0, borrowed: this.#borrowed };
    this.#heads.push({ bytes, type, kind, apiVersion, waiting, sinceProbe: 0 });
  }

  /** Undefined for whatever is not of the form in which API servers write large objects. */
  #readLazily(line: Uint8Array): WatchEvent | undefined {
    const head = this.#heads.find(({ bytes }) => isAt(line, 0, bytes));
    const end = line.length - theEnd.length;
    if (!head || !isAt(line, end, theEnd)) return undefined;
    const from = head.bytes.length;
    const parts = findParts(line, from, head.kind === onlyMetadata ? end : undefined);
    if (!parts) return undefined;
    const { managed, metadataEnd } = parts;
    if (metadataEnd < end && !mayWait(head)) {
      if (this.#cache && isNodeBytes(line)) return readForCache(line, end, head, parts, this.#cache);
      return managed && readNow(line, head, managed);
    }
    const { waiting } = head;
    const object = readLazily(line.subarray(0, end), head, from, parts, { waiting, ...this.#cache });
    return object && { type: head.type, object };
  }
}

/** It saves half of the work with parts that nobody looks at, and costs half as much again with the others. */
function mayWait(head: Head): boolean {
  const interest = head.waiting;
  if (interest.offered >= mostKnown) {
    interest.taken = Math.min(interest.taken, interest.offered) / 2;
    interest.offered /= 2;
  }
  if (interest.offered < fewestKnown || interest.taken < interest.offered / 2) return true;
  head.sinceProbe = (head.sinceProbe + 1) % probeEvery;
  return head.sinceProbe === 0;
}

/** Everything but managedFields, which wait. */
function readNow(line: Uint8Array, { type, waiting }: Head, managed: Range): WatchEvent | undefined {
  const event = parsedText(textWithout(line, 0, line.length, managed));
  if (!isWatchEvent(event) || !isObjectEvent(event) || !isObject(event.object.metadata)) return undefined;
  lazyMetadata(event.object.metadata, line.subarray(managed.from + 1, managed.to), waiting);
  return { type, object: event.object };
}

/** Everything, of which parts may be known already. Undefined for an object with others. */
function readForCache(
  line: NodeBytes,
  end: number,
  head: Head,
  { managed, metadataEnd }: Parts,
  cache: CacheNeeds,
): WatchEvent | undefined {
  const { type, kind, apiVersion, waiting } = head;
  const metadata = parsedText(textWithout(line, head.bytes.length, metadataEnd, managed));
  if (!isObject(metadata)) return undefined;
  const uid = uidOf({ metadata });
  const specAt = metadataEnd + specStart.length - 1;
  const known = cache.recent.find(uid, line, specAt, end);
  const statusAt = known ? -1 : line.indexOf(statusStart, specAt);
  // Where what was found lies within the `spec`, what is before it is no JSON.
  const specEnd = known ? specAt + known.specLength : statusAt < 0 ? end : statusAt;
  const spec = known ? known.spec : parsedText(textOf(line, specAt, specEnd));
  const hasStatus = specEnd < end;
  if (!isObject(spec) || (hasStatus && !isAt(line, specEnd, statusStart))) return undefined;
  const isNew = hasStatus && !known?.isWhole;
  const status = isNew ? parsedText(textOf(line, specEnd + statusStart.length - 1, end)) : known?.status;
  if (hasStatus && !isObject(status)) return undefined;
  if (managed && cache.managedFields) lazyMetadata(metadata, line.subarray(managed.from + 1, managed.to), waiting);
  const object = { kind, apiVersion, metadata, spec, ...(hasStatus && { status }) };
  if (known?.isWhole) cache.recent.follow(uid, object);
  // Of what is gone there is no next state.
  else if (uid && type !== 'DELETED') cache.recent.remember(uid, object, line, specAt, specEnd, end);
  return { type, object };
}

/** Empty for none. */
function uidOf(object: unknown): string {
  const { uid } = (object as { readonly metadata?: { readonly uid?: unknown } }).metadata ?? {};
  return typeof uid === 'string' ? uid : '';
}

/** Undefined for what is no JSON. */
export const parsed = (text: Uint8Array): unknown => parsedText(decoder.decode(text));
