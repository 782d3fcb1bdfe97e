import { isObjectEvent, isWatchEvent, type ObjectEvent, type WatchEvent } from '@coxswain/apimachinery/watch';
import { type Interest, lazyMetadata, lazyObject } from './lazy-object.ts';

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const specStart = encoder.encode(',"spec":{');
const managedFieldsStart = encoder.encode(',"managedFields":[{');
const [brace, bracket] = encoder.encode('{]');
const theEnd = encoder.encode('}}');
/** What is shorter is read at once: that is no more work. */
const fewestLazyBytes = 512;
/** The kind of what has nothing but metadata. */
const onlyMetadata = 'PartialObjectMetadata';
/** Groups of built-in kinds have no dot, or this. Custom ones may have it too, but are not written in the order of a type. */
const builtInVersion = /^([a-z0-9]+\/|[a-z0-9.]+\.k8s\.io\/)?v\d\w*$/;

/**
 * So many objects whose parts waited are needed to know how many of them somebody looks at; of more than the most, the older count
 * for half. (They are looked at a while after they were read: a line comes with many others.)
 */
const fewestKnown = 32;
const mostKnown = 256;
/** One of so many waits although such parts are looked at, to see whether they still are. */
const probeEvery = 32;

/** How the events of a watch begin that are of one type, up to the metadata: they are all of one kind. */
interface Head {
  readonly bytes: Uint8Array;
  readonly type: ObjectEvent<unknown>['type'];
  readonly kind: string;
  readonly apiVersion: string;
}

/**
 * Reads the lines of one watch. Where a line brings a large object, `spec`, `status` and managedFields are read when somebody looks at
 * them: that is most of the work, and of most events all that anybody looks at is the rest of the metadata. Where `spec` or `status`
 * turn out to be looked at mostly, they are read at once, since to wait costs more than it saves then.
 *
 * That is done only for objects that are written as API servers write built-in kinds: `kind` first, then `apiVersion`, `metadata`,
 * `spec` and `status` or none of both, and nothing else. (Custom objects are written with sorted keys, `apiVersion` first.) So nothing
 * needs to be known of these parts but where they begin, and where managedFields end, of which there are none but the object's own. No
 * text in the object can look like that: quotes within texts are escaped.
 */
export class EventReader {
  /** One for each type of event at most. */
  readonly #heads: Head[] = [];
  /** Whether somebody looks at the parts that wait. */
  readonly #interest: Interest = { offered: 0, taken: 0 };
  #sinceProbe = 0;

  /** Undefined for what is no event. Whether a `spec` and `status` that wait are JSON is found when they are read. */
  read(line: Uint8Array): WatchEvent | undefined {
    const lazy = line.length < fewestLazyBytes ? undefined : this.#readLazily(line);
    if (lazy) return lazy;
    const event = parsed(line);
    if (!isWatchEvent(event)) return undefined;
    if (line.length >= fewestLazyBytes && isObjectEvent(event)) this.#learn(line, event);
    return event;
  }

  /** Remembers how the line begins, if it is of the form in which the parts of others can be found by that. */
  #learn(line: Uint8Array, { type, object: { kind, apiVersion } }: ObjectEvent<Record<string, unknown>>): void {
    if (this.#heads.some((head) => head.type === type)) return;
    if (typeof kind !== 'string' || typeof apiVersion !== 'string' || !builtInVersion.test(apiVersion)) return;
    const [typeText, kindText, version] = [type, kind, apiVersion].map((part) => JSON.stringify(part));
    const bytes = encoder.encode(
      `{"type":${typeText},"object":{"kind":${kindText},"apiVersion":${version},"metadata":`,
    );
    if (isAt(line, 0, bytes)) this.#heads.push({ bytes, type, kind, apiVersion });
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
    if (metadataEnd < end && !this.#mayWait()) return managed && readNow(line, head, managed);
    // It may also have been something like a `spec` within the metadata.
    const metadata = parsedText(textWithout(line.subarray(0, metadataEnd), from, managed));
    if (!isObject(metadata)) return undefined;
    // A copy: the line is a part of something larger, which need not be kept for it. Not as text: that would lie in the
    // engine's heap, and be moved about there.
    const kept = (managed?.from ?? metadataEnd) + 1;
    const waiting = new Uint8Array(line.subarray(kept, end));
    if (managed) lazyMetadata(metadata, waiting.subarray(0, managed.to - kept));
    const { type, kind, apiVersion } = head;
    const object = { kind, apiVersion, metadata };
    if (metadataEnd === end) return { type, object };
    return { type, object: lazyObject(object, waiting.subarray(metadataEnd + 1 - kept), this.#interest) };
  }

  /** It saves half of the work with parts that nobody looks at, and costs half as much again with the others. */
  #mayWait(): boolean {
    const interest = this.#interest;
    if (interest.offered >= mostKnown) {
      interest.taken = Math.min(interest.taken, interest.offered) / 2;
      interest.offered /= 2;
    }
    if (interest.offered < fewestKnown || interest.taken < interest.offered / 2) return true;
    this.#sinceProbe = (this.#sinceProbe + 1) % probeEvery;
    return this.#sinceProbe === 0;
  }
}

/** Everything but managedFields, which wait. */
function readNow(line: Uint8Array, { type }: Head, managed: Range): WatchEvent | undefined {
  const event = parsedText(textWithout(line, 0, managed));
  if (!isWatchEvent(event) || !isObjectEvent(event) || !isObject(event.object.metadata)) return undefined;
  lazyMetadata(event.object.metadata, new Uint8Array(line.subarray(managed.from + 1, managed.to)));
  return { type, object: event.object };
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Where the parts of a line are. */
interface Parts {
  /** After the metadata. */
  readonly metadataEnd: number;
  /** managedFields, with the comma before. */
  readonly managed?: Range | undefined;
}

/** `end` says where the metadata end of an object that has nothing else. */
function findParts(line: Uint8Array, start: number, end?: number): Parts | undefined {
  let managed: Range | undefined;
  // There are few braces: what is in the metadata is mostly text.
  for (let at = line.indexOf(brace!, start); at >= 0; at = line.indexOf(brace!, at + 1)) {
    const specAt = at + 1 - specStart.length;
    if (isAt(line, specAt, specStart)) return { metadataEnd: specAt, managed };
    const from = at + 1 - managedFieldsStart.length;
    if (managed || !isAt(line, from, managedFieldsStart)) continue;
    // What is in them has brackets only where sets of texts are owned, which is rare. Then this leaves what is no JSON.
    at = line.indexOf(bracket!, at);
    if (at < 0) return undefined;
    managed = { from, to: at + 1 };
  }
  return managed && end !== undefined ? { metadataEnd: end, managed } : undefined;
}

/** The text from there on, without that part. */
function textWithout(line: Uint8Array, from: number, part: Range | undefined): string {
  if (!part) return decoder.decode(line.subarray(from));
  return decoder.decode(line.subarray(from, part.from)) + decoder.decode(line.subarray(part.to));
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Undefined for what is no JSON. */
export const parsed = (text: Uint8Array): unknown => parsedText(decoder.decode(text));

function parsedText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}
