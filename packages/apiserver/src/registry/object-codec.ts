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
 * Between objects in their hub version and bytes in the store.
 *
 * What is stored is JSON in the storage version, without the resource version, which nobody knows before it is
 * written. It always begins with the same bytes, `{"kind":…,"apiVersion":…,"metadata":{`, so that the resource version
 * goes in at a place known beforehand, and list items, which say no kind, are cut from the same bytes.
 */
export class ObjectCodec {
  /** Where in `StoredObject.bytes` a list's item begins, but for its opening brace. */
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
    // Custom resources say their kind in lists, too.
    this.itemOffset = definition.custom ? 1 : Buffer.byteLength(opening);
    this.#head = Buffer.from(opening + metadataOpening);
    const selectable = definition.strategy.selectableFields ?? {};
    this.fieldNames = Object.keys(selectable);
    this.#fieldReaders = Object.values(selectable);
  }

  /** The bytes to store. The object is in its hub version and stays as it is. */
  encode(object: KubernetesObject): Buffer {
    const { hub, storage } = this.#definition;
    const stored = hub === storage ? object : this.#definition.convert({ ...object }, storage.groupVersion);
    const { kind, apiVersion } = storage;
    const { metadata = {} } = stored;
    // What is undefined is not written.
    const bare = 'resourceVersion' in metadata ? { ...metadata, resourceVersion: undefined } : metadata;
    // These come first, wherever the object has them.
    const ordered: KubernetesObject = { kind, apiVersion, metadata: bare, ...stored };
    ordered.kind = kind;
    ordered.apiVersion = apiVersion;
    ordered.metadata = bare;
    return Buffer.from(stringifyJson(ordered));
  }

  /** The stored bytes as they are served at that revision: a line of JSON. */
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

  /** How long that line is. What says the same is as long, whatever its order. */
  lineLength(stored: Uint8Array, revision: number): number {
    return stored.length + versionText(revision).length + 1;
  }

  /** Whether a line of that length is that line, apart from the revision; nothing is made to find out. */
  isLineOf(line: Buffer, stored: Uint8Array): boolean {
    const head = this.#head.length;
    const end = line.length - 1;
    const rest = end - (stored.length - head);
    return line.compare(stored, head, stored.length, rest, end) === 0 && line.compare(stored, 0, head, 0, head) === 0;
  }

  /** The same for what is not stored, as after a dry run: it has no resource version. */
  withoutRevision(stored: Uint8Array): Buffer {
    return Buffer.concat([stored, lineBreakBytes]);
  }

  /** What was served at one revision as it is served at another. */
  atRevision({ line }: StoredObject, before: number, revision: number): Buffer {
    const head = this.#head.length;
    const version = Buffer.from(versionText(revision));
    const rest = head + versionText(before).length;
    return Buffer.concat([line.subarray(0, head), version, line.subarray(rest)]);
  }

  /** What the cache keeps of a stored value. `note` is the object itself when this server has just written it. */
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

  /** A line as it is served, with what selectors need of the object they are of. */
  stored(line: Buffer, object: KubernetesObject): StoredObject {
    return new StoredObject(line, object, this.fieldValuesOf(object));
  }

  /** What the kind's selectable fields are in the object. */
  fieldValuesOf(object: KubernetesObject): readonly string[] {
    const readers = this.#fieldReaders;
    return readers.length === 0 ? none : readers.map((read) => read(object));
  }

  /** The object in its hub version; nobody else's, so it may be changed. */
  decode(bytes: Uint8Array): KubernetesObject {
    const { storage, hub } = this.#definition;
    const value = parseStored(bytes);
    if (!isObject(value)) throw new Error(`stored ${storage.kind} is no object`);
    return storage === hub ? value : this.#definition.convert(value, hub.groupVersion);
  }

  #isOwn(value: Uint8Array): boolean {
    return this.#head.compare(value, 0, Math.min(this.#head.length, value.length)) === 0;
  }

  /** Another API server may have written it: in protobuf, in another version, in another order. */
  #decodeForeign(value: Uint8Array): KubernetesObject {
    const { storage, hub } = this.#definition;
    if (!isProtobufEnvelope(value) && value[0] !== openingBrace) throw new Error('stored in an unknown format');
    const { object, gvk } = this.#codecs.decode(value, { defaultGVK: storage });
    if (gvk.kind !== storage.kind) throw new Error(`stored as ${gvk}, not as ${storage}`);
    return GroupVersionKind.fromObject(object) === hub ? object : this.#definition.convert(object, hub.groupVersion);
  }
}

const versionText = (revision: number): string => `"resourceVersion":"${revision}",`;

/** What we wrote ourselves needs none of the care that a client's text does, apart from integers beyond 2^53. */
function parseStored(bytes: Uint8Array): unknown {
  return readJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
}

const none: readonly string[] = [];
const isObject = (value: unknown): value is KubernetesObject & Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isHubObject = (note: unknown): note is KubernetesObject => isObject(note) && 'metadata' in note;
