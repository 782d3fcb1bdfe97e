import { createHash } from 'node:crypto';
import { isJsonObject } from '@coxswain/apimachinery';
import type { OpenApiProvider } from '../openapi/index.ts';
import type { RemoteApi } from './remote-api.ts';

type Document = Awaited<ReturnType<OpenApiProvider['v3']>>;
type V2Part = Awaited<ReturnType<OpenApiProvider['v2']>>;

const timeoutMs = 60_000;
const nothing: V2Part = { paths: {}, definitions: {}, parameters: {} };

/**
 * The OpenAPI documents of a server behind an APIService, of its group version and nothing else. One that does not
 * answer has none, as far as our clients can tell: the documents of all others must not fail for it.
 */
export class RemoteOpenApi implements OpenApiProvider {
  readonly #remote: RemoteApi;
  readonly #path: string;
  readonly #report: (error: unknown) => void;

  constructor(remote: RemoteApi, group: string, version: string, report: (error: unknown) => void) {
    this.#remote = remote;
    this.#path = `apis/${group}/${version}`;
    this.#report = report;
  }

  async documents(): Promise<ReadonlyMap<string, string>> {
    const index = await this.#fetch('/openapi/v3');
    const paths = isJsonObject(index?.paths) ? index.paths : {};
    const entry = Object.hasOwn(paths, this.#path) ? paths[this.#path] : undefined;
    const url = isJsonObject(entry) ? String(entry.serverRelativeURL ?? '') : '';
    if (url === '') return new Map();
    const hash = new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('hash') ?? url;
    return new Map([[this.#path, /^[0-9A-F]+$/.test(hash) ? hash : hashOf(hash)]]);
  }

  async v3(path: string): Promise<Document> {
    return ((await this.#fetch(`/openapi/v3/${path}`)) ?? {}) as Document;
  }

  async v2(): Promise<V2Part> {
    const document = await this.#fetch('/openapi/v2');
    if (!document) return nothing;
    const prefix = `/${this.#path}/`;
    const part = (key: string): Record<string, unknown> => (isJsonObject(document[key]) ? document[key] : {});
    const own = Object.entries(part('paths')).filter(([path]) => path === prefix || path.startsWith(prefix));
    const paths = Object.fromEntries(own);
    const definitions = part('definitions');
    return {
      paths,
      definitions: pick(definitions, reachable(paths, definitions)),
      parameters: part('parameters'),
    } as V2Part;
  }

  async #fetch(path: string): Promise<Record<string, unknown> | undefined> {
    try {
      const { status, body } = await this.#remote.fetch(path, { accept: 'application/json' }, timeoutMs);
      if (status === 404) return undefined;
      if (status !== 200) throw new Error(`${path} was answered with ${status}`);
      const document: unknown = JSON.parse(body.toString());
      if (!isJsonObject(document)) throw new Error(`${path} is no document`);
      return document;
    } catch (error) {
      this.#report(error);
      return undefined;
    }
  }
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
