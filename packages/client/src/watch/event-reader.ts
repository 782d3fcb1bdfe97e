import { isObjectEvent, isWatchEvent, type ObjectEvent, type WatchEvent } from '@coxswain/apimachinery/watch';
import { lazyObject } from './lazy-object.ts';

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const specStart = encoder.encode(',"spec":{');
const theEnd = encoder.encode('}}');
/** What is shorter is read at once: that is no more work. */
const fewestLazyBytes = 512;
/** Groups of built-in kinds have no dot, or this. Custom ones may have it too, but are not written in the order of a type. */
const builtInVersion = /^([a-z0-9]+\/|[a-z0-9.]+\.k8s\.io\/)?v\d\w*$/;

/** How the events of a watch begin that are of one type, up to the metadata: they are all of one kind. */
interface Head {
  readonly bytes: Uint8Array;
  readonly type: ObjectEvent<unknown>['type'];
  readonly kind: string;
  readonly apiVersion: string;
}

/**
 * Reads the lines of one watch. Where a line brings a large object, `spec` and `status` are read when somebody looks at them: that
 * is most of the work, and of most events all that anybody looks at is the metadata.
 *
 * That is done only for objects that are written as API servers write built-in kinds: `kind` first, then `apiVersion`, `metadata`,
 * `spec` and `status` and nothing else. (Custom objects are written with sorted keys, `apiVersion` first.) So nothing needs to
 * be known of `spec` but where it begins.
 */
export class EventReader {
  /** One for each type of event at most. */
  readonly #heads: Head[] = [];

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
    if (typeof kind !== 'string' || typeof apiVersion !== 'string' || !builtInVersion.test(apiVersion)) return;
    const [typeText, kindText, version] = [type, kind, apiVersion].map((part) => JSON.stringify(part));
    const bytes = encoder.encode(
      `{"type":${typeText},"object":{"kind":${kindText},"apiVersion":${version},"metadata":`,
    );
    const isKnown = this.#heads.some((head) => head.type === type);
    if (!isKnown && isAt(line, 0, bytes)) this.#heads.push({ bytes, type, kind, apiVersion });
  }

  /** Undefined for whatever is not of the form in which API servers write large objects. */
  #readLazily(line: Uint8Array): WatchEvent | undefined {
    const head = this.#heads.find(({ bytes }) => isAt(line, 0, bytes));
    if (!head || !isAt(line, line.length - theEnd.length, theEnd)) return undefined;
    const metadataEnd = indexOf(line, specStart, head.bytes.length);
    // It may also have been something like a `spec` within the metadata.
    const metadata = metadataEnd < 0 ? undefined : parsed(line.subarray(head.bytes.length, metadataEnd));
    if (metadata === undefined) return undefined;
    const { type, kind, apiVersion } = head;
    // A copy: the line is a part of something larger, which need not be kept for it. Not as text: that would lie in the
    // engine's heap, and be moved about there.
    const parts = new Uint8Array(line.subarray(metadataEnd + 1, -theEnd.length));
    return { type, object: lazyObject({ kind, apiVersion, metadata }, parts) };
  }
}

/** Undefined for what is no JSON. */
export function parsed(text: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(text));
  } catch {
    return undefined;
  }
}

function indexOf(bytes: Uint8Array, wanted: Uint8Array, from: number): number {
  const first = wanted[0]!;
  const last = bytes.length - wanted.length;
  for (let at = from; at <= last; at++) if (bytes[at] === first && isAt(bytes, at, wanted)) return at;
  return -1;
}

function isAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}
