import { cloneJson, jsonEquals, type KubernetesObject } from '@coxswain/apimachinery';
import type { CacheEntry, KeyValue } from '@coxswain/storage';
import type { ObjectCodec } from '../registry/object-codec.ts';
import type { StorageVersions } from '../registry/storage-versions.ts';
import { StoredObject } from '../registry/stored-object.ts';
import type { ObjectConverter } from './conversion/index.ts';
import { asFields } from './custom-resource-strategy.ts';
import type { CustomResourceSchema } from './schema/index.ts';

/** An object in the version of its stored value, pruned and defaulted, with cached views in other versions. */
class CustomStoredObject extends StoredObject {
  readonly apiVersion: string;
  #views: Map<string, StoredObject> | undefined;

  constructor(line: Buffer, object: KubernetesObject, fieldValues: readonly string[], apiVersion: string) {
    super(line, object, fieldValues);
    this.apiVersion = apiVersion;
  }

  view(apiVersion: string): StoredObject | undefined {
    return apiVersion === this.apiVersion ? this : this.#views?.get(apiVersion);
  }

  keep(apiVersion: string, view: StoredObject): void {
    this.#views ??= new Map();
    this.#views.set(apiVersion, view);
  }
}

/** The codec and schema of one version of a custom resource. */
export interface VersionForm {
  readonly apiVersion: string;
  readonly codec: ObjectCodec;
  readonly schema: CustomResourceSchema;
}

/** All versions of a custom resource, and the current storage version. */
export interface VersionForms {
  readonly forms: ReadonlyMap<string, VersionForm>;
  readonly storage: VersionForm;
  readonly converter: ObjectConverter;
}

/**
 * Decodes a stored value of any version for the cache. Throws an Error when it is unreadable or of an unknown version.
 */
export function decodeStored(
  { forms, storage }: VersionForms,
  { value, modRevision, stale, unreadable }: KeyValue,
  note: unknown,
): StoredObject {
  if (unreadable) throw unreadable;
  const make = ({ codec, apiVersion }: VersionForm, bytes: Uint8Array, object: KubernetesObject): CustomStoredObject =>
    new CustomStoredObject(codec.withRevision(bytes, modRevision), object, codec.fieldValuesOf(object), apiVersion);
  if (isObjectOf(note, storage.apiVersion) && !changesByDefault(note, storage)) return make(storage, value, note);
  const object = storage.codec.decode(value);
  const form = forms.get(object.apiVersion ?? '');
  if (!form) throw new Error(`request to convert CR from an invalid group/version: ${object.apiVersion}`);
  form.schema.prune(asFields(object), { dropInvalidMetadata: true });
  form.schema.default(asFields(object));
  // Objects from very old servers have no generation.
  if (object.metadata && !object.metadata.generation) object.metadata.generation = 1;
  const bytes = form.codec.encode(object);
  const stored = make(form, bytes, object);
  stored.stale =
    Boolean(stale) || form !== storage || (!bytes.equals(value) && !jsonEquals(object, storage.codec.decode(value)));
  return stored;
}

const isObjectOf = (note: unknown, apiVersion: string): note is KubernetesObject =>
  typeof note === 'object' && note !== null && 'apiVersion' in note && note.apiVersion === apiVersion;

/** Whether defaulting changes an object that was just written, since the write removed a field that has a default. */
function changesByDefault(object: KubernetesObject, { schema }: VersionForm): boolean {
  if (!schema.needsDefaulting) return false;
  const copy = cloneJson(object);
  schema.default(asFields(copy));
  return !jsonEquals(copy, object);
}

/** Converts between stored objects and objects of one version. */
export class VersionViews implements StorageVersions {
  readonly #all: VersionForms;
  readonly #own: VersionForm;
  /** Conversions in progress, so that concurrent callers share one. */
  readonly #pending = new WeakMap<StoredObject, Promise<void>>();

  constructor(all: VersionForms, own: VersionForm) {
    this.#all = all;
    this.#own = own;
  }

  get selectsStored(): boolean {
    return this.#all.converter.convertNow !== undefined;
  }

  decodeEntry(entry: KeyValue, note: unknown): StoredObject {
    return decodeStored(this.#all, entry, note);
  }

  view(stored: StoredObject): StoredObject {
    if (!(stored instanceof CustomStoredObject)) return stored;
    const { apiVersion } = this.#own;
    const known = stored.view(apiVersion);
    if (known) return known;
    const { convertNow } = this.#all.converter;
    if (!convertNow) throw new Error(`${stored.name} was not converted to ${apiVersion} before it was shown`);
    return this.#keep(stored, convertNow(this.#decode(stored), apiVersion));
  }

  prepare(objects: readonly StoredObject[]): Promise<void> | undefined {
    if (this.#all.converter.convertNow) return undefined;
    const { apiVersion } = this.#own;
    const missing = objects.filter(
      (stored): stored is CustomStoredObject => stored instanceof CustomStoredObject && !stored.view(apiVersion),
    );
    if (missing.length === 0) return undefined;
    const waited = missing.map((stored) => this.#pending.get(stored)).filter((pending) => pending !== undefined);
    const fresh = [...new Set(missing.filter((stored) => !this.#pending.has(stored)))];
    if (fresh.length > 0) {
      const made = this.#make(fresh);
      for (const stored of fresh) this.#pending.set(stored, made);
      waited.push(made);
    }
    return Promise.all(waited).then(() => {});
  }

  encode(object: KubernetesObject, bytes: Buffer): Buffer | Promise<Buffer> {
    const { storage, converter } = this.#all;
    if (storage === this.#own) return bytes;
    const finish = (converted: KubernetesObject): Buffer => {
      // A copy, as the converted object shares parts with one that is still in use.
      const own = cloneJson(converted);
      storage.schema.prune(asFields(own));
      return storage.codec.encode(own);
    };
    if (converter.convertNow) return finish(converter.convertNow(object, storage.apiVersion));
    return converter.convert([object], storage.apiVersion).then(([converted]) => finish(converted ?? object));
  }

  isStored(bytes: Buffer, { value: stored, revision }: CacheEntry<StoredObject>): boolean {
    const { codec, apiVersion } = this.#all.storage;
    if (stored.stale || !(stored instanceof CustomStoredObject) || stored.apiVersion !== apiVersion) return false;
    const { line } = stored;
    if (line.length !== codec.lineLength(bytes, revision)) return false;
    return (
      codec.isLineOf(line, bytes) || jsonEquals(codec.decode(codec.withRevision(bytes, revision)), codec.decode(line))
    );
  }

  #decode({ line }: StoredObject): KubernetesObject {
    return this.#own.codec.decode(line);
  }

  async #make(objects: readonly CustomStoredObject[]): Promise<void> {
    try {
      const decoded = objects.map((stored) => this.#decode(stored));
      const converted = await this.#all.converter.convert(decoded, this.#own.apiVersion);
      for (const [i, stored] of objects.entries()) this.#keep(stored, converted[i] ?? decoded[i]!);
    } finally {
      for (const stored of objects) this.#pending.delete(stored);
    }
  }

  #keep(stored: CustomStoredObject, converted: KubernetesObject): StoredObject {
    const { codec, schema, apiVersion } = this.#own;
    schema.prune(asFields(converted));
    const { resourceVersion = '' } = converted.metadata ?? {};
    const line = codec.withRevision(codec.encode(converted), Number(resourceVersion));
    const view = codec.stored(line, converted);
    stored.keep(apiVersion, view);
    return view;
  }
}
