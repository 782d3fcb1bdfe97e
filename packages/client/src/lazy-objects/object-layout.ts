import { readJson } from '@coxswain/apimachinery/codec/json';
import { lazyMetadata, lazyObject } from './lazy-object.ts';
import { isNodeBytes } from './node-bytes.ts';
import type { UnreadCounters } from './unread-parts.ts';

const decoder = new TextDecoder();
const encoder = new TextEncoder();
export const specStart = encoder.encode(',"spec":{');
const managedFieldsStart = encoder.encode(',"managedFields":[{');
export const statusStart = encoder.encode(',"status":{');
const [brace, bracket] = encoder.encode('{]');
/** Shorter texts are parsed at once: that costs no more. */
export const fewestLazyBytes = 512;

/** Versions of built-in kinds: their groups have no dot or end in `.k8s.io`. Custom kinds may use the latter, but have another layout. */
const builtInVersion = /^([a-z0-9]+\/|[a-z0-9.]+\.k8s\.io\/)?v\d\w*$/;
export const isBuiltIn = (apiVersion: string): boolean => builtInVersion.test(apiVersion);

/**
 * Reads an object whose metadata begin at `from`; `text` ends before the object's closing brace. `spec`, `status` and managedFields stay
 * unread. Returns undefined if the metadata are not JSON.
 *
 * Requires the layout in which API servers write built-in kinds: `kind`, `apiVersion`, `metadata`, then optionally `spec` and `status`,
 * and nothing else. (Custom objects have sorted keys, `apiVersion` first.) So it is enough to know where `spec` begins, and where
 * managedFields begin and end. A string value cannot be mistaken for one of these, because quotes inside strings are escaped.
 *
 * `managedFields: false` leaves managedFields out. The object keeps views of `text`; `UnreadParts.keep` copies them.
 */
export function readLazily(
  text: Uint8Array,
  { kind, apiVersion }: { readonly kind: string; readonly apiVersion: string },
  from: number,
  { managed: found, metadataEnd }: Parts,
  { counters, managedFields = true }: { readonly counters?: UnreadCounters; readonly managedFields?: boolean } = {},
): object | undefined {
  // Fails if the `spec` that was found is a member of the metadata.
  const metadata = parseText(textWithout(text, from, metadataEnd, found));
  if (!isObject(metadata)) return undefined;
  const managed = managedFields ? found : undefined;
  const kept = (managed?.from ?? metadataEnd) + 1;
  const unread = text.subarray(kept);
  if (managed) lazyMetadata(metadata, unread.subarray(0, managed.to - kept), counters);
  const object = { kind, apiVersion, metadata };
  return metadataEnd === text.length ? object : lazyObject(object, unread.subarray(metadataEnd + 1 - kept), counters);
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The offsets of an object's parts in its text. */
export interface Parts {
  /** End of the metadata. */
  readonly metadataEnd: number;
  /** managedFields, including the comma before. */
  readonly managed?: Range | undefined;
}

/** Undefined if there is neither `spec` nor managedFields. `end` is where the metadata end of an object that has nothing else. */
export function findParts(line: Uint8Array, start: number, end?: number): Parts | undefined {
  let managed: Range | undefined;
  // Searching for braces is quick: metadata have few of them.
  for (let at = line.indexOf(brace!, start); at >= 0; at = line.indexOf(brace!, at + 1)) {
    const specAt = at + 1 - specStart.length;
    if (isAt(line, specAt, specStart)) return { metadataEnd: specAt, managed };
    const from = at + 1 - managedFieldsStart.length;
    if (managed || !isAt(line, from, managedFieldsStart)) continue;
    // managedFields contain a `]` only in keys of sets, which are rare. Then the remaining text is not JSON, and the caller parses all.
    at = line.indexOf(bracket!, at);
    if (at < 0) return undefined;
    managed = { from, to: at + 1 };
  }
  return managed && end !== undefined ? { metadataEnd: end, managed } : undefined;
}

/** The text between two offsets, without `part`. */
export function textWithout(line: Uint8Array, from: number, to: number, part: Range | undefined): string {
  return part ? textOf(line, from, part.from) + textOf(line, part.to, to) : textOf(line, from, to);
}

export const textOf = (bytes: Uint8Array, from: number, to: number): string =>
  isNodeBytes(bytes) ? bytes.toString('utf8', from, to) : decoder.decode(bytes.subarray(from, to));

/** Undefined if the text is not JSON. */
export function parseText(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

export function isAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}
