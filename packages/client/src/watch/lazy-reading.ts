import { readJson } from '@coxswain/apimachinery/codec/json';
import { lazyMetadata, lazyObject } from './lazy-object.ts';
import { isNodeBytes } from './node-bytes.ts';
import type { Waiting } from './unread-parts.ts';

const decoder = new TextDecoder();
const encoder = new TextEncoder();
export const specStart = encoder.encode(',"spec":{');
const managedFieldsStart = encoder.encode(',"managedFields":[{');
export const statusStart = encoder.encode(',"status":{');
const [brace, bracket] = encoder.encode('{]');
/** What is shorter is read at once: that is no more work. */
export const fewestLazyBytes = 512;

/** Groups of built-in kinds have no dot, or this. Custom ones may have it too, but are not written in the order of a type. */
const builtInVersion = /^([a-z0-9]+\/|[a-z0-9.]+\.k8s\.io\/)?v\d\w*$/;
export const isBuiltIn = (apiVersion: string): boolean => builtInVersion.test(apiVersion);

/**
 * An object whose `spec`, `status` and managedFields are read when somebody looks at them; its metadata begin at `from`, and its last
 * brace is left out. Undefined when its metadata are no JSON; whether the parts are is found when they are read.
 *
 * That is done only for objects that are written as API servers write built-in kinds: `kind` first, then `apiVersion`, `metadata`,
 * `spec` and `status` or none of both, and nothing else. (Custom objects are written with sorted keys, `apiVersion` first.) So nothing
 * needs to be known of these parts but where they begin, and where managedFields end, of which there are none but the object's own. No
 * text in the object can look like that: quotes within texts are escaped.
 *
 * `managedFields: false` leaves these out. Parts of the text are held, in those of a watch until they are copied: `UnreadParts.keep`.
 */
export function readLazily(
  text: Uint8Array,
  { kind, apiVersion }: { readonly kind: string; readonly apiVersion: string },
  from: number,
  { managed: found, metadataEnd }: Parts,
  { waiting, managedFields = true }: { readonly waiting?: Waiting; readonly managedFields?: boolean } = {},
): object | undefined {
  // It may also have been something like a `spec` within the metadata.
  const metadata = parsedText(textWithout(text, from, metadataEnd, found));
  if (!isObject(metadata)) return undefined;
  const managed = managedFields ? found : undefined;
  const kept = (managed?.from ?? metadataEnd) + 1;
  const unread = text.subarray(kept);
  if (managed) lazyMetadata(metadata, unread.subarray(0, managed.to - kept), waiting);
  const object = { kind, apiVersion, metadata };
  return metadataEnd === text.length ? object : lazyObject(object, unread.subarray(metadataEnd + 1 - kept), waiting);
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Where the parts of a line are. */
export interface Parts {
  /** After the metadata. */
  readonly metadataEnd: number;
  /** managedFields, with the comma before. */
  readonly managed?: Range | undefined;
}

/** Undefined where there are none. `end` says where the metadata end of an object that has nothing else. */
export function findParts(line: Uint8Array, start: number, end?: number): Parts | undefined {
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

/** The text from there to there, without that part. */
export function textWithout(line: Uint8Array, from: number, to: number, part: Range | undefined): string {
  return part ? textOf(line, from, part.from) + textOf(line, part.to, to) : textOf(line, from, to);
}

export const textOf = (bytes: Uint8Array, from: number, to: number): string =>
  isNodeBytes(bytes) ? bytes.toString('utf8', from, to) : decoder.decode(bytes.subarray(from, to));

/** Undefined for what is no JSON. */
export function parsedText(text: string): unknown {
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
