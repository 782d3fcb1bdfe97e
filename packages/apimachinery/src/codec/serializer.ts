import type { GroupVersionKind } from '../meta/group-version.ts';
import type { RuntimeObject } from '../runtime/object.ts';
import type { StructSchema } from '../schema/schema.ts';
import type { Framer } from './framer.ts';
import type { SupportedMediaType } from './negotiate.ts';
import type { Steps } from '../steps/index.ts';

/** Tells what type a kind is. A Scheme can do it, and so can anything that knows custom resources. */
export interface KindLookup {
  /** Stands in the error about a kind that it does not know. */
  readonly name: string;
  resolve(gvk: GroupVersionKind): StructSchema | undefined;
}

export interface DecodeOptions {
  /** What the object is where it does not say so itself. */
  readonly defaultGVK?: GroupVersionKind;
  /** Look for unknown and duplicate fields, too. */
  readonly strict?: boolean;
  /** Take the object as it is, whatever its kind; only that it has one is required. */
  readonly unstructured?: boolean;
}

export interface Decoded {
  /** In its canonical form, with apiVersion and kind. */
  readonly object: RuntimeObject & Record<string, unknown>;
  readonly gvk: GroupVersionKind;
  /** With `strict`: what a strict server would refuse and another warn of. Protobuf knows no such mistakes. */
  readonly strictErrors: readonly string[];
}

export interface DecodedEvent extends Decoded {
  /** `ADDED`, `MODIFIED` … */
  readonly type: string;
}

export interface EncodeOptions {
  /** For people; formats that are none for people ignore it. */
  readonly pretty?: boolean;
}

/** Reads and writes objects in one format. */
export interface Serializer extends SupportedMediaType {
  /** Throws DecodeFailure. */
  decode(data: Uint8Array, options?: DecodeOptions): Decoded;
  /** The same in steps, for data so large that others should have their turn in between. */
  decodeInSteps(data: Uint8Array, options?: DecodeOptions): Steps<Decoded>;
  /** The object must be in its canonical form. */
  encode(object: object, options?: EncodeOptions): Uint8Array;
}

/** A serializer that can carry watches. */
export interface StreamSerializer extends Serializer {
  readonly streams: true;
  readonly framer: Framer;
  /** A watch event, not yet framed, around an object that was encoded by the same serializer. */
  wrapEvent(type: string, object: Uint8Array): Uint8Array;
  /** Reads a frame. Throws DecodeFailure. */
  decodeEvent(frame: Uint8Array, options?: DecodeOptions): DecodedEvent;
}
