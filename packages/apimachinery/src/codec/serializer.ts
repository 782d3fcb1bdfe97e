import type { GroupVersionKind } from '../meta/group-version.ts';
import type { RuntimeObject } from '../runtime/object.ts';
import type { StructSchema } from '../schema/schema.ts';
import type { Framer } from './framer.ts';
import type { SupportedMediaType } from './negotiate.ts';
import type { Steps } from '../steps/index.ts';

/** Resolves kinds to schemas. A Scheme is one, and so can be a lookup that includes custom resources. */
export interface KindLookup {
  /** Names the lookup in the error about an unknown kind. */
  readonly name: string;
  resolve(gvk: GroupVersionKind): StructSchema | undefined;
}

export interface DecodeOptions {
  /** The kind of an object that does not state its kind. */
  readonly defaultGVK?: GroupVersionKind;
  /** Also look for unknown and duplicate fields. */
  readonly strict?: boolean;
  /** Accept an object of any kind as it is. It is only required to have a kind. */
  readonly unstructured?: boolean;
}

export interface Decoded {
  /** In canonical form, with apiVersion and kind. */
  readonly object: RuntimeObject & Record<string, unknown>;
  readonly gvk: GroupVersionKind;
  /** With `strict`: the unknown and duplicate fields, for which a server rejects the request or warns. Always empty for protobuf. */
  readonly strictErrors: readonly string[];
}

export interface DecodedEvent extends Decoded {
  /** `ADDED`, `MODIFIED` … */
  readonly type: string;
}

export interface EncodeOptions {
  /** Indents JSON for human readers. Other formats ignore it. */
  readonly pretty?: boolean;
}

/** Encodes and decodes objects in one format. */
export interface Serializer extends SupportedMediaType {
  /** Throws DecodeFailure. */
  decode(data: Uint8Array, options?: DecodeOptions): Decoded;
  /** Like `decode`, in steps, for data so large that other work should run in between. */
  decodeInSteps(data: Uint8Array, options?: DecodeOptions): Steps<Decoded>;
  /** Encodes an object in canonical form. */
  encode(object: object, options?: EncodeOptions): Uint8Array;
}

/** A serializer that supports watches. */
export interface StreamSerializer extends Serializer {
  readonly streams: true;
  readonly framer: Framer;
  /** Encodes a watch event, not yet framed, around an object encoded by the same serializer. */
  wrapEvent(type: string, object: Uint8Array): Uint8Array;
  /** Decodes a frame. Throws DecodeFailure. */
  decodeEvent(frame: Uint8Array, options?: DecodeOptions): DecodedEvent;
}
