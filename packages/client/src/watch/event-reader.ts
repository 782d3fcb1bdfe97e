import { isObjectEvent, isWatchEvent, type ObjectEvent, type WatchEvent } from '@coxswain/apimachinery/watch';
import { lazyMetadata } from './lazy-object.ts';
import {
  fewestLazyBytes,
  findParts,
  isAt,
  isBuiltIn,
  isObject,
  parsedText,
  type Range,
  readLazily,
  textWithout,
} from './lazy-reading.ts';
import type { UnreadParts, Waiting } from './unread-parts.ts';

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
const probeEvery = 32;

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

  /** Undefined for what is no event. Whether a `spec` and `status` that wait are JSON is found when they are read. */
  read(line: Uint8Array): WatchEvent | undefined {
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
    if (metadataEnd < end && !mayWait(head)) return managed && readNow(line, head, managed);
    const object = readLazily(line.subarray(0, end), head, from, parts, head.waiting);
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
  const event = parsedText(textWithout(line, 0, managed));
  if (!isWatchEvent(event) || !isObjectEvent(event) || !isObject(event.object.metadata)) return undefined;
  lazyMetadata(event.object.metadata, line.subarray(managed.from + 1, managed.to), waiting);
  return { type, object: event.object };
}

/** Undefined for what is no JSON. */
export const parsed = (text: Uint8Array): unknown => parsedText(decoder.decode(text));
