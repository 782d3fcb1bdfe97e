import { isObjectEvent, isWatchEvent, type ObjectEvent, type WatchEvent } from '@coxswain/apimachinery/watch';
import { lazyMetadata } from './lazy-object.ts';
import { isNodeBytes, type NodeBytes } from './node-bytes.ts';
import {
  fewestLazyBytes,
  findParts,
  isAt,
  isBuiltIn,
  isObject,
  type Parts,
  parseText,
  type Range,
  readLazily,
  specStart,
  statusStart,
  textOf,
  textWithout,
} from './object-layout.ts';
import type { CacheNeeds } from './recent-parts.ts';
import type { UnreadCounters, UnreadParts } from './unread-parts.ts';

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const theEnd = encoder.encode('}}');
/** The kind of objects that have nothing but metadata. */
const onlyMetadata = 'PartialObjectMetadata';

/**
 * How many lazy objects must have been returned before their share of reads is significant. Above `mostKnown` both
 * counters are halved, so that newer objects count more. (An object is read some time after its line, because lines are
 * read in batches.)
 */
const fewestKnown = 32;
const mostKnown = 256;
/**
 * When members are parsed at once, one of this many objects is lazy nevertheless, to detect when members are no longer
 * read.
 */
const probeEvery = 128;

/** The text with which events of one type begin, up to the metadata. All objects of a watch are of one kind. */
interface Head {
  readonly bytes: Uint8Array;
  readonly type: ObjectEvent<unknown>['type'];
  readonly kind: string;
  readonly apiVersion: string;
  /** Counted per type: informers read ADDED objects, and often only the metadata of MODIFIED ones. */
  readonly counters: UnreadCounters;
  /** Objects parsed at once since the last one that was lazy. */
  sinceProbe: number;
}

/**
 * Reads the lines of one watch. Large objects become lazy objects, if they have the layout that `readLazily` requires. Where most of
 * them have their `spec` or `status` read later, these are parsed at once: a lazy member that is read costs half as much again.
 */
export class EventReader {
  /** At most one for each type of event. */
  readonly #heads: Head[] = [];
  /** Parts whose text is still a view into a line. */
  readonly #borrowed: UnreadParts[] = [];
  #cache: CacheNeeds | undefined;

  /** From now on the events go into a cache. */
  feed(cache: CacheNeeds): void {
    this.#cache = cache;
  }

  /** Returns undefined if the line is not an event. Unread members are not checked. */
  read(line: Uint8Array): WatchEvent | undefined {
    const event = this.#read(line);
    // Keeps nothing of a deleted object.
    if (event?.type === 'DELETED') this.#cache?.recent.forget(uidOf(event.object));
    return event;
  }

  #read(line: Uint8Array): WatchEvent | undefined {
    const lazy = line.length < fewestLazyBytes ? undefined : this.#readLazily(line);
    if (lazy) return lazy;
    const event = parseLine(line);
    if (!isWatchEvent(event)) return undefined;
    if (line.length >= fewestLazyBytes && isObjectEvent(event)) this.#learn(line, event);
    return event;
  }

  /**
   * Copies the text of unread members out of the connection's buffer, which may be used again afterwards. Called before the next chunk
   * and not at once, because by then many members have been read, deleted or found to equal those of an older state.
   */
  keepUnread(): void {
    for (const parts of this.#borrowed) parts.keep();
    this.#borrowed.length = 0;
  }

  /** Remembers how the line begins, if it has the layout that `readLazily` requires. */
  #learn(line: Uint8Array, { type, object: { kind, apiVersion } }: ObjectEvent<Record<string, unknown>>): void {
    if (this.#heads.some((head) => head.type === type)) return;
    if (typeof kind !== 'string' || typeof apiVersion !== 'string' || !isBuiltIn(apiVersion)) return;
    const [typeText, kindText, version] = [type, kind, apiVersion].map((part) => JSON.stringify(part));
    const bytes = encoder.encode(
      `{"type":${typeText},"object":{"kind":${kindText},"apiVersion":${version},"metadata":`,
    );
    if (!isAt(line, 0, bytes)) return;
    const counters = { offered: 0, taken: 0, borrowed: this.#borrowed };
    this.#heads.push({ bytes, type, kind, apiVersion, counters, sinceProbe: 0 });
  }

  /** Returns undefined if the line does not have the required layout. */
  #readLazily(line: Uint8Array): WatchEvent | undefined {
    const head = this.#heads.find(({ bytes }) => isAt(line, 0, bytes));
    const end = line.length - theEnd.length;
    if (!head || !isAt(line, end, theEnd)) return undefined;
    const from = head.bytes.length;
    const parts = findParts(line, from, head.kind === onlyMetadata ? end : undefined);
    if (!parts) return undefined;
    const { managed, metadataEnd } = parts;
    if (metadataEnd < end && !shouldBeLazy(head)) {
      if (this.#cache && isNodeBytes(line)) return readForCache(line, end, head, parts, this.#cache);
      return managed && readNow(line, head, managed);
    }
    const { counters } = head;
    const object = readLazily(line.subarray(0, end), head, from, parts, { counters, ...this.#cache });
    return object && { type: head.type, object };
  }
}

/** Lazy parsing saves half of the work for members that are never read, and adds half for those that are. */
function shouldBeLazy(head: Head): boolean {
  const { counters } = head;
  if (counters.offered >= mostKnown) {
    counters.taken = Math.min(counters.taken, counters.offered) / 2;
    counters.offered /= 2;
  }
  if (counters.offered < fewestKnown || counters.taken < counters.offered / 2) return true;
  head.sinceProbe = (head.sinceProbe + 1) % probeEvery;
  return head.sinceProbe === 0;
}

/** Parses everything but managedFields. */
function readNow(line: Uint8Array, { type, counters }: Head, managed: Range): WatchEvent | undefined {
  const event = parseText(textWithout(line, 0, line.length, managed));
  if (!isWatchEvent(event) || !isObjectEvent(event) || !isObject(event.object.metadata)) return undefined;
  lazyMetadata(event.object.metadata, line.subarray(managed.from + 1, managed.to), counters);
  return { type, object: event.object };
}

/** Parses everything that does not equal the object's last state. Returns undefined for an object with other members. */
function readForCache(
  line: NodeBytes,
  end: number,
  head: Head,
  { managed, metadataEnd }: Parts,
  cache: CacheNeeds,
): WatchEvent | undefined {
  const { type, kind, apiVersion, counters } = head;
  const metadata = parseText(textWithout(line, head.bytes.length, metadataEnd, managed));
  if (!isObject(metadata)) return undefined;
  const uid = uidOf({ metadata });
  const specAt = metadataEnd + specStart.length - 1;
  const known = cache.recent.find(uid, line, specAt, end);
  const statusAt = known ? -1 : line.indexOf(statusStart, specAt);
  // If this `status` is a member of the `spec`, the text before it is not JSON, and parsing it fails.
  const specEnd = known ? specAt + known.specLength : statusAt < 0 ? end : statusAt;
  const spec = known ? known.spec : parseText(textOf(line, specAt, specEnd));
  const hasStatus = specEnd < end;
  if (!isObject(spec) || (hasStatus && !isAt(line, specEnd, statusStart))) return undefined;
  const isNew = hasStatus && !known?.isWhole;
  const status = isNew ? parseText(textOf(line, specEnd + statusStart.length - 1, end)) : known?.status;
  if (hasStatus && !isObject(status)) return undefined;
  if (managed && cache.managedFields) lazyMetadata(metadata, line.subarray(managed.from + 1, managed.to), counters);
  const object = { kind, apiVersion, metadata, spec, ...(hasStatus && { status }) };
  if (known?.isWhole) cache.recent.follow(uid, object);
  // A deleted object has no next state.
  else if (uid && type !== 'DELETED') cache.recent.remember(uid, object, line, specAt, specEnd, end);
  return { type, object };
}

/** Empty if there is none. */
function uidOf(object: unknown): string {
  const { uid } = (object as { readonly metadata?: { readonly uid?: unknown } }).metadata ?? {};
  return typeof uid === 'string' ? uid : '';
}

/** Parses a whole line. Undefined if it is not JSON. */
export const parseLine = (text: Uint8Array): unknown => parseText(decoder.decode(text));
