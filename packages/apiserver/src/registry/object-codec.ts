import {
  type CodecFactory,
  GroupVersionKind,
  isProtobufEnvelope,
  type KubernetesObject,
  readJson,
  stringifyJson,
} from '@coxswain/apimachinery';
import type { KeyValue } from '@coxswain/storage';
import { UnreadableValue } from './broken-object.ts';
import { ByteSlabs } from './byte-slabs.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { StoredObject } from './stored-object.ts';

const metadataOpening = '"metadata":{';
const openingBrace = 0x7b;
const lineBreak = 0x0a;
const lineBreakBytes = Buffer.from('\n');

/**
 * Converts between objects in their hub version and bytes in the store.
 *
 * Stored values are JSON in the storage version, without resourceVersion, which is not known before the write. They always begin
 * with `{"kind":…,"apiVersion":…,"metadata":{`. So the resourceVersion can be inserted at a fixed offset, and list items, which
 * have no kind and apiVersion, are a suffix of the same bytes.
 */
export class ObjectCodec {
  /** The offset in `StoredObject.bytes` at which a list item begins, without its opening brace. */
  readonly itemOffset: number;
  /** Names of the kind's selectable fields, in the order of `StoredObject.fieldValues`. */
  readonly fieldNames: readonly string[];
  readonly #definition: ResourceDefinition;
  readonly #codecs: CodecFactory;
  readonly #head: Buffer;
  readonly #fieldReaders: readonly ((object: KubernetesObject) => string)[];
  readonly #slabs = new ByteSlabs();

  constructor(definition: ResourceDefinition, codecs: CodecFactory) {
    this.#definition = definition;
    this.#codecs = codecs;
    const { kind, apiVersion } = definition.storage;
    const opening = `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
    // Custom resources have kind and apiVersion in lists, too.
    this.itemOffset = definition.custom ? 1 : Buffer.byteLength(opening);
    this.#head = Buffer.from(opening + metadataOpening);
    const selectable = definition.strategy.selectableFields ?? {};
    this.fieldNames = Object.keys(selectable);
    this.#fieldReaders = Object.values(selectable);
  }

  /** Returns the bytes to store for an object in its hub version, which is not modified. */
  encode(object: KubernetesObject): Buffer {
    const { hub, storage } = this.#definition;
    const stored = hub === storage ? object : this.#definition.convert({ ...object }, storage.groupVersion);
    const { kind, apiVersion } = storage;
    const { metadata = {} } = stored;
    // Undefined fields are not encoded.
    const bare = 'resourceVersion' in metadata ? { ...metadata, resourceVersion: undefined } : metadata;
    // kind, apiVersion and metadata come first, in any order of the object's fields.
    const ordered: KubernetesObject = { kind, apiVersion, metadata: bare, ...stored };
    ordered.kind = kind;
    ordered.apiVersion = apiVersion;
    ordered.metadata = bare;
    return Buffer.from(stringifyJson(ordered));
  }

  /** Returns the line that is served for stored bytes at a revision: JSON with resourceVersion, and a line break. */
  withRevision(stored: Uint8Array, revision: number): Buffer {
    const version = versionText(revision);
    const head = this.#head.length;
    const line = this.#slabs.allocate(stored.length + version.length + 1);
    line.set(stored.subarray(0, head), 0);
    line.write(version, head, 'latin1');
    line.set(stored.subarray(head), head + version.length);
    line[line.length - 1] = lineBreak;
    return line;
  }

  /** Returns the length of that line. Equal objects have equal lengths, whatever the order of their fields. */
  lineLength(stored: Uint8Array, revision: number): number {
    return stored.length + versionText(revision).length + 1;
  }

  /** Returns whether a line of that length equals that line, apart from the revision. Allocates nothing. */
  isLineOf(line: Buffer, stored: Uint8Array): boolean {
    const head = this.#head.length;
    const end = line.length - 1;
    const rest = end - (stored.length - head);
    return line.compare(stored, head, stored.length, rest, end) === 0 && line.compare(stored, 0, head, 0, head) === 0;
  }

  /** Returns the line without resourceVersion, for objects that are not stored, such as those of a dry run. */
  withoutRevision(stored: Uint8Array): Buffer {
    return Buffer.concat([stored, lineBreakBytes]);
  }

  /** Returns the line with another revision. `before` is its present one. */
  atRevision({ line }: StoredObject, before: number, revision: number): Buffer {
    const head = this.#head.length;
    const version = Buffer.from(versionText(revision));
    const rest = head + versionText(before).length;
    return Buffer.concat([line.subarray(0, head), version, line.subarray(rest)]);
  }

  /** Decodes a stored value for the watch cache. `note` is the object itself when this server has just written it. */
  decodeEntry({ value, modRevision, stale, unreadable }: KeyValue, note: unknown): StoredObject {
    if (unreadable) throw new UnreadableValue(unreadable);
    if (isHubObject(note)) {
      const stored = this.stored(this.withRevision(value, modRevision), note);
      stored.fresh = note;
      return stored;
    }
    const own = this.#isOwn(value);
    const object = own ? this.decode(value) : this.#decodeForeign(value);
    const stored = this.stored(this.withRevision(own ? value : this.encode(object), modRevision), object);
    if (stale) stored.stale = true;
    return stored;
  }

  /** Returns the cached form of an object: its line, and the values that selectors need. */
  stored(line: Buffer, object: KubernetesObject): StoredObject {
    return new StoredObject(line, object, this.fieldValuesOf(object));
  }

  /** Returns the values of the kind's selectable fields. */
  fieldValuesOf(object: KubernetesObject): readonly string[] {
    const readers = this.#fieldReaders;
    return readers.length === 0 ? none : readers.map((read) => read(object));
  }

  /** Returns a new object in the hub version, which the caller may modify. */
  decode(bytes: Uint8Array): KubernetesObject {
    const { storage, hub } = this.#definition;
    const value = parseStored(bytes);
    if (!isObject(value)) throw new Error(`the stored ${storage.kind} is not an object`);
    return storage === hub ? value : this.#definition.convert(value, hub.groupVersion);
  }

  #isOwn(value: Uint8Array): boolean {
    return this.#head.compare(value, 0, Math.min(this.#head.length, value.length)) === 0;
  }

  /** Decodes a value written by another API server: as protobuf, in another version, or in another field order. */
  #decodeForeign(value: Uint8Array): KubernetesObject {
    const { storage, hub } = this.#definition;
    if (!isProtobufEnvelope(value) && value[0] !== openingBrace) throw new Error('stored in an unknown format');
    const { object, gvk } = this.#codecs.decode(value, { defaultGVK: storage });
    if (gvk.kind !== storage.kind) throw new Error(`stored as ${gvk}, not as ${storage}`);
    return GroupVersionKind.fromObject(object) === hub ? object : this.#definition.convert(object, hub.groupVersion);
  }
}

const versionText = (revision: number): string => `"resourceVersion":"${revision}",`;

/** Parses JSON that this server wrote: without the checks for clients' JSON, but with integers beyond 2^53. */
function parseStored(bytes: Uint8Array): unknown {
  return readJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
}

const none: readonly string[] = [];
const isObject = (value: unknown): value is KubernetesObject & Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isHubObject = (note: unknown): note is KubernetesObject => isObject(note) && 'metadata' in note;
