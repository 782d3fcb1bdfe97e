import { createHash } from 'node:crypto';
import { isJsonObject } from '@coxswain/apimachinery';
import type { OpenApiProvider } from '../openapi/index.ts';
import type { RemoteApi } from './remote-api.ts';

type Document = Awaited<ReturnType<OpenApiProvider['v3']>>;
type V2Part = Awaited<ReturnType<OpenApiProvider['v2']>>;

const timeoutMs = 60_000;
const nothing: V2Part = { paths: {}, definitions: {}, parameters: {} };

/**
 * The OpenAPI documents of an aggregated server, restricted to its group version. The parts merged with other documents
 * (the v3 index and the v2 part) are cached and only fetched by `refresh`: a slow server delays no client, and a server
 * with wrong documents affects no other part.
 */
export class RemoteOpenApi implements OpenApiProvider {
  readonly #remote: RemoteApi;
  readonly #path: string;
  readonly #onError: (error: unknown) => void;
  #index: ReadonlyMap<string, string> = new Map();
  #v2 = nothing;
  /** The ETag of the document that `#v2` was taken from. */
  #etag = '';
  #refreshing: Promise<boolean> | undefined;

  constructor(remote: RemoteApi, group: string, version: string, onError: (error: unknown) => void) {
    this.#remote = remote;
    this.#path = `apis/${group}/${version}`;
    this.#onError = onError;
  }

  /**
   * Fetches the index and the v2 document. Resolves to whether anything changed. Never rejects: when a fetch fails, the
   * known documents stay.
   */
  refresh(): Promise<boolean> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async documents(): Promise<ReadonlyMap<string, string>> {
    return this.#index;
  }

  async v3(path: string): Promise<Document> {
    const document = await this.#attempt(() => this.#fetch(`/openapi/v3/${path}`));
    return (document ?? {}) as Document;
  }

  async v2(): Promise<V2Part> {
    return this.#v2;
  }

  async #refresh(): Promise<boolean> {
    const results = [await this.#attempt(() => this.#refreshIndex()), await this.#attempt(() => this.#refreshV2())];
    return results.includes(true);
  }

  async #refreshIndex(): Promise<boolean> {
    const index = await this.#fetch('/openapi/v3');
    const paths = isJsonObject(index?.paths) ? index.paths : {};
    const entry = Object.hasOwn(paths, this.#path) ? paths[this.#path] : undefined;
    const url = isJsonObject(entry) ? String(entry.serverRelativeURL ?? '') : '';
    const named = new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('hash') ?? url;
    const hash = /^[0-9A-F]{1,128}$/.test(named) ? named : hashOf(named);
    const known = this.#index.get(this.#path);
    this.#index = new Map(url === '' ? [] : [[this.#path, hash]]);
    return this.#index.get(this.#path) !== known;
  }

  async #refreshV2(): Promise<boolean> {
    const headers = { accept: 'application/json', ...(this.#etag && { 'if-none-match': this.#etag }) };
    const { status, headers: answered, body } = await this.#remote.fetch('/openapi/v2', headers, timeoutMs);
    if (status === 304) return false;
    const part = status === 404 ? nothing : partOf(documentOf('/openapi/v2', status, body), `/${this.#path}/`);
    const isNew = JSON.stringify(part) !== JSON.stringify(this.#v2);
    this.#v2 = part;
    this.#etag = typeof answered.etag === 'string' ? answered.etag : '';
    return isNew;
  }

  async #fetch(path: string): Promise<Record<string, unknown> | undefined> {
    const { status, body } = await this.#remote.fetch(path, { accept: 'application/json' }, timeoutMs);
    return status === 404 ? undefined : documentOf(path, status, body);
  }

  async #attempt<T>(run: () => Promise<T>): Promise<T | undefined> {
    try {
      return await run();
    } catch (error) {
      this.#onError(error);
      return undefined;
    }
  }
}

function documentOf(path: string, status: number, body: Buffer): Record<string, unknown> {
  if (status !== 200) throw new Error(`${path} was answered with ${status}`);
  const document: unknown = JSON.parse(body.toString());
  if (!isJsonObject(document)) throw new Error(`${path} is not a JSON object`);
  return document;
}

/** The part of a v2 document below a path. Throws a RangeError when it is nested too deeply for JSON.stringify. */
function partOf(document: Record<string, unknown>, prefix: string): V2Part {
  const part = (key: string): Record<string, unknown> => (isJsonObject(document[key]) ? document[key] : {});
  const paths = Object.fromEntries(Object.entries(part('paths')).filter(([path]) => path.startsWith(prefix)));
  const definitions = part('definitions');
  return {
    paths,
    definitions: pick(definitions, reachable(paths, definitions)),
    parameters: part('parameters'),
  } as V2Part;
}

const hashOf = (text: string): string => createHash('sha512').update(text).digest('hex').toUpperCase();

const pick = (from: Record<string, unknown>, names: ReadonlySet<string>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(from).filter(([name]) => names.has(name)));

const reference = /"\$ref":"#\/definitions\/([^"]+)"/g;

/** The names of the definitions that the paths reference, directly or through other definitions. */
function reachable(paths: Record<string, unknown>, definitions: Record<string, unknown>): Set<string> {
  const found = new Set<string>();
  const pending: unknown[] = [paths];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const [, name = ''] of JSON.stringify(next).matchAll(reference)) {
      if (found.has(name) || !Object.hasOwn(definitions, name)) continue;
      found.add(name);
      pending.push(definitions[name]);
    }
  }
  return found;
}
