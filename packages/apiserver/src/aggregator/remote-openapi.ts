import { createHash } from 'node:crypto';
import { isJsonObject } from '@coxswain/apimachinery';
import type { OpenApiProvider } from '../openapi/index.ts';
import type { RemoteApi } from './remote-api.ts';

type Document = Awaited<ReturnType<OpenApiProvider['v3']>>;
type V2Part = Awaited<ReturnType<OpenApiProvider['v2']>>;

const timeoutMs = 60_000;
const nothing: V2Part = { paths: {}, definitions: {}, parameters: {} };

/**
 * The OpenAPI documents of a server behind an APIService, of its group version and nothing else. What is shared with the
 * documents of all others is kept here, and asked for by nobody but `refresh`: no client waits for a slow server, nor
 * misses anything because of one that lies.
 */
export class RemoteOpenApi implements OpenApiProvider {
  readonly #remote: RemoteApi;
  readonly #path: string;
  readonly #onError: (error: unknown) => void;
  #index: ReadonlyMap<string, string> = new Map();
  #v2 = nothing;
  /** Of the document that `#v2` is from. */
  #etag = '';
  #refreshing: Promise<boolean> | undefined;

  constructor(remote: RemoteApi, group: string, version: string, onError: (error: unknown) => void) {
    this.#remote = remote;
    this.#path = `apis/${group}/${version}`;
    this.#onError = onError;
  }

  /**
   * Asks the server what it has by now. Resolves to whether that is something else than before; never rejects: one that
   * does not answer keeps what it had.
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
  if (!isJsonObject(document)) throw new Error(`${path} is no document`);
  return document;
}

/** What a document has under a path. Throws for what is nested too deep to be written. */
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

/** The names of definitions that are needed, also by each other. */
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
