import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { isJsonObject } from '@coxswain/apimachinery';
import { writeJson } from '@coxswain/apimachinery/codec/json';
import type { JsonObject } from './dialect.ts';
import type { OpenApiProvider } from './openapi-provider.ts';
import { encodeDocument } from './protobuf/index.ts';
import { type V2Texts, v2Document, v2Texts } from './v2-document.ts';

export type DocumentFormat = 'json' | 'protobuf';

/** A document as bytes, with its ETag and modification time. */
export interface ServedDocument {
  readonly bytes: Uint8Array;
  /** Without quotes. */
  readonly etag: string;
  /** The time of the last change. */
  readonly modified: Date;
}

/** Encoded documents by format, made on first use. */
type Forms = Map<string, Promise<Uint8Array>>;

interface V3Entry {
  readonly hash: string;
  readonly modified: Date;
  readonly provider: OpenApiProvider;
  readonly forms: Forms;
}

/** One generation of documents. A change of any provider starts a new one. */
interface Generation {
  readonly v3: Promise<ReadonlyMap<string, V3Entry>>;
  readonly v2: Forms;
  readonly modified: Date;
}

/**
 * Serves the OpenAPI documents of all providers. Each document is generated on its first request, and cached as bytes until it
 * changes.
 */
export class OpenApiService {
  readonly #providers = new Set<OpenApiProvider>();
  readonly #fixedTexts = new WeakMap<OpenApiProvider, Promise<V2Texts>>();
  readonly #now: () => Date;
  #generation: Generation | undefined;
  /** The entries of the previous generation, whose unchanged documents are reused. */
  #kept: Promise<ReadonlyMap<string, V3Entry>> | undefined;

  constructor(now: () => Date) {
    this.#now = now;
  }

  add(provider: OpenApiProvider): void {
    this.#providers.add(provider);
    this.changed();
  }

  remove(provider: OpenApiProvider): void {
    if (this.#providers.delete(provider)) this.changed();
  }

  /** Must be called when documents of a provider have changed. */
  changed(): void {
    this.#kept = this.#generation?.v3 ?? this.#kept;
    this.#generation = undefined;
  }

  /** Returns the paths of all v3 documents with their hashes, sorted by path. */
  async v3Index(): Promise<ReadonlyMap<string, string>> {
    const entries = await this.#current().v3;
    return new Map([...entries].map(([path, { hash }]) => [path, hash]));
  }

  /** The time of the last change of the index. */
  get modified(): Date {
    return this.#current().modified;
  }

  /** Returns a v3 document, or undefined when it does not exist. */
  async v3(path: string, format: DocumentFormat): Promise<ServedDocument | undefined> {
    const entry = (await this.#current().v3).get(path);
    if (!entry) return undefined;
    const bytes = await this.#form(entry.forms, 'v3', format, async () => writeJson(await entry.provider.v3(path)));
    return { bytes, etag: entry.hash, modified: entry.modified };
  }

  async v2(format: DocumentFormat): Promise<ServedDocument> {
    const { v2, modified } = this.#current();
    const bytes = await this.#v2Bytes(v2, format);
    const etag = await once(v2, 'etag', async () =>
      createHash('sha512')
        .update(await this.#v2Bytes(v2, 'json'))
        .digest(),
    );
    return { bytes, etag: Buffer.from(etag).toString('hex').toUpperCase(), modified };
  }

  /** Returns the v2 document compressed with gzip. */
  async v2Gzipped(format: DocumentFormat): Promise<ServedDocument> {
    const { v2 } = this.#current();
    const { bytes, etag, modified } = await this.v2(format);
    return { bytes: await once(v2, `${format} gzip`, () => promisify(gzip)(bytes)), etag, modified };
  }

  #v2Bytes(forms: Forms, format: DocumentFormat): Promise<Uint8Array> {
    const providers = [...this.#providers];
    return this.#form(forms, 'v2', format, async () =>
      v2Document(await Promise.all(providers.map((provider) => this.#textsOf(provider)))),
    );
  }

  /** Returns the texts of a provider's part. Those of built-in kinds, which are most of the document, are cached. */
  #textsOf(provider: OpenApiProvider): Promise<V2Texts> {
    const known = this.#fixedTexts.get(provider);
    if (known) return known;
    const texts = provider.v2().then(v2Texts);
    if (provider.isFixed) {
      this.#fixedTexts.set(provider, texts);
      texts.catch(() => this.#fixedTexts.delete(provider));
    }
    return texts;
  }

  #form(forms: Forms, version: 'v2' | 'v3', format: DocumentFormat, make: () => Promise<string>): Promise<Uint8Array> {
    const json = (): Promise<Uint8Array> => once(forms, 'json', async () => Buffer.from(await make()));
    if (format === 'json') return json();
    // Parsed from the JSON bytes, so that the document itself need not be kept in memory.
    return once(forms, 'protobuf', async () => encodeDocument(version, toObject(await json())));
  }

  #current(): Generation {
    if (this.#generation) return this.#generation;
    const generation: Generation = { v3: this.#collect(), v2: new Map(), modified: this.#now() };
    // Failures are not cached.
    generation.v3.catch(() => {
      if (this.#generation === generation) this.#generation = undefined;
    });
    this.#generation = generation;
    return generation;
  }

  async #collect(): Promise<ReadonlyMap<string, V3Entry>> {
    const kept = await this.#kept;
    this.#kept = undefined;
    const entries = new Map<string, V3Entry>();
    for (const provider of this.#providers) {
      for (const [path, hash] of await provider.documents()) {
        const known = kept?.get(path);
        const { forms, modified } =
          known?.hash === hash ? known : { forms: new Map<string, Promise<Uint8Array>>(), modified: this.#now() };
        if (!entries.has(path)) entries.set(path, { hash, provider, forms, modified });
      }
    }
    return new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** Makes a form once, and caches it. Failures are not cached. */
function once(forms: Forms, name: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
  const known = forms.get(name);
  if (known) return known;
  const made = make();
  forms.set(name, made);
  made.catch(() => forms.delete(name));
  return made;
}

function toObject(bytes: Uint8Array): JsonObject {
  const document: unknown = JSON.parse(Buffer.from(bytes).toString());
  if (!isJsonObject(document)) throw new Error('the OpenAPI document is not an object');
  return document;
}
