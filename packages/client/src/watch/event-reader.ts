import { isWatchEvent, type WatchEvent } from '@coxswain/apimachinery/watch';
import { type LazyMember, lazyObject } from './lazy-object.ts';

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const specKey = encoder.encode(',"spec":');
const statusKey = encoder.encode(',"status":');
const theEnd = encoder.encode('}}');
/** What is shorter is read at once: that is no more work. */
const fewestLazyBytes = 512;
/** One for each type of event that brings an object; a server has no reason to write more. */
const mostHeads = 4;

/** How the events of a watch begin that are of one type, up to the metadata: they are all of one kind. */
interface Head {
  readonly bytes: Uint8Array;
  readonly type: string;
  readonly kind: string;
  readonly apiVersion: string;
}

/**
 * Reads the lines of one watch. Where a line brings a large object, `spec` and `status` are read when somebody looks at them: that
 * is most of the work, and of most events all that anybody looks at is the metadata.
 */
export class EventReader {
  readonly #heads: Head[] = [];

  /**
   * Undefined for what is no event. Of a `spec` and `status` that wait, only that their brackets and quotes match is known
   * by then.
   */
  read(line: Uint8Array): WatchEvent | undefined {
    try {
      const event: unknown = this.#readLazily(line) ?? this.#readAtOnce(line);
      return isWatchEvent(event) ? event : undefined;
    } catch {
      return undefined;
    }
  }

  #readAtOnce(line: Uint8Array): unknown {
    const event: unknown = JSON.parse(decoder.decode(line));
    if (line.length >= fewestLazyBytes && this.#heads.length < mostHeads && isWatchEvent(event)) {
      const { kind, apiVersion } = event.object;
      if (typeof kind === 'string' && typeof apiVersion === 'string') {
        const [type, kindText, version] = [event.type, kind, apiVersion].map((text) => JSON.stringify(text));
        const bytes = encoder.encode(
          `{"type":${type},"object":{"kind":${kindText},"apiVersion":${version},"metadata":`,
        );
        if (isAt(line, 0, bytes)) this.#heads.push({ bytes, type: event.type, kind, apiVersion });
      }
    }
    return event;
  }

  /** Undefined for whatever is not of the form in which API servers write large objects. */
  #readLazily(line: Uint8Array): unknown {
    const head = line.length < fewestLazyBytes ? undefined : this.#heads.find(({ bytes }) => isAt(line, 0, bytes));
    if (!head) return undefined;
    const metadataEnd = endOfValue(line, head.bytes.length);
    const members: LazyMember[] = [];
    let at = metadataEnd;
    if (isAt(line, at, specKey)) {
      members.push('spec');
      at = endOfValue(line, at + specKey.length);
    }
    if (isAt(line, at, statusKey)) {
      members.push('status');
      at = endOfValue(line, at + statusKey.length);
    }
    // The object's end must be the event's: there is nothing but what was found.
    if (!isAt(line, at, theEnd) || at + theEnd.length !== line.length || members.length === 0) return undefined;
    const { type, kind, apiVersion } = head;
    const metadata: unknown = JSON.parse(decoder.decode(line.subarray(head.bytes.length, metadataEnd)));
    const text = decoder.decode(line.subarray(metadataEnd + 1, at));
    return { type, object: lazyObject({ kind, apiVersion, metadata }, members, text) };
  }
}

/**
 * Where an object ends that begins there; -1 for anything else, and for what has no end. It goes through every byte, so it
 * is written for the compiler: constants where it sees them, each byte loaded once.
 */
function endOfValue(bytes: Uint8Array, start: number): number {
  const quote = 0x22;
  const backslash = 0x5c;
  const openBrace = 0x7b;
  const closeBrace = 0x7d;
  const openBracket = 0x5b;
  const closeBracket = 0x5d;
  const end = bytes.length;
  if (bytes[start] !== openBrace) return -1;
  let depth = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === quote) {
      for (at++; at < end; at++) {
        const inner = bytes[at]!;
        if (inner === quote) break;
        if (inner === backslash) at++;
      }
    } else if (byte === openBrace || byte === openBracket) depth++;
    else if (byte === closeBrace || byte === closeBracket) {
      if (--depth === 0) return at + 1;
    }
  }
  return -1;
}

function isAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  if (at < 0) return false;
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}
