import {
  GroupResource,
  GroupVersion,
  GroupVersionResource,
  pathSegmentProblems,
  resourcePath,
} from '@coxswain/apimachinery/meta';
import type { ResponseBody } from '../transport/transport.ts';
import type { Watch } from '../watch/watch.ts';
import type { RESTClient } from './rest-client.ts';
import type { RestRequest } from './rest-request.ts';

/**
 * A request, said step by step; nothing is sent before `do`, `raw`, `stream` or `watch`. Each step throws at once for what
 * cannot be part of a path.
 *
 * ```ts
 * await rest.get().apiVersion('apps/v1').namespace('default').resource('deployments').name('web').do<Deployment>()
 * ```
 */
export class RequestBuilder {
  readonly #rest: RESTClient;
  readonly #method: string;
  #absPath: string | undefined;
  #groupVersion = GroupVersion.of('', 'v1');
  #namespace: string | undefined;
  #resource = '';
  #name = '';
  #subresource = '';
  #suffix = '';
  readonly #query: Record<string, unknown[]> = Object.create(null);
  readonly #headers: Record<string, string | readonly string[]> = Object.create(null);
  #body: unknown;
  #options: Pick<RestRequest, 'timeoutMs' | 'signal' | 'maxRetries'> = {};

  constructor(rest: RESTClient, method: string) {
    this.#rest = rest;
    this.#method = method;
  }

  /** `v1` (the default), `apps/v1`, … */
  apiVersion(apiVersion: string): this {
    this.#groupVersion = GroupVersion.parse(apiVersion);
    return this;
  }

  namespace(namespace: string): this {
    this.#namespace = segment('namespace', namespace);
    return this;
  }

  /** Plural, as in the path. */
  resource(resource: string): this {
    this.#resource = segment('resource', resource);
    return this;
  }

  name(name: string): this {
    if (name === '') throw new Error('resource name may not be empty');
    this.#name = segment('resource name', name);
    return this;
  }

  subresource(...subresources: string[]): this {
    this.#subresource = subresources.map((each) => segment('subresource', each)).join('/');
    return this;
  }

  /** Segments after everything else. */
  suffix(...segments: string[]): this {
    this.#suffix += segments.map((each) => `/${encodedPath(each)}`).join('');
    return this;
  }

  /** A path of the server instead of a resource's; not percent-encoded yet. */
  absPath(...segments: string[]): this {
    this.#absPath = `/${segments.map(encodedPath).join('/')}`.replace(/\/{2,}/g, '/');
    return this;
  }

  /** Adds a value to a query parameter; undefined adds none. */
  param(name: string, value: string | number | boolean | undefined): this {
    if (value !== undefined) this.#query[name] = [...(this.#query[name] ?? []), value];
    return this;
  }

  /** Query parameters from an options object of the API, such as ListOptions. */
  params(options: object): this {
    for (const [name, value] of Object.entries(options)) {
      for (const one of Array.isArray(value) ? value : [value]) this.param(name, one);
    }
    return this;
  }

  /** In place of what the header was before. */
  setHeader(name: string, ...values: string[]): this {
    this.#headers[name.toLowerCase()] = values.length === 1 ? values[0]! : values;
    return this;
  }

  /** Sent as JSON; bytes and text, such as YAML, as they are. */
  body(body: unknown): this {
    this.#body = body;
    return this;
  }

  /** The whole time; the server is told. */
  timeout(timeoutMs: number): this {
    this.#options = { ...this.#options, timeoutMs };
    return this;
  }

  signal(signal: AbortSignal): this {
    this.#options = { ...this.#options, signal };
    return this;
  }

  maxRetries(maxRetries: number): this {
    this.#options = { ...this.#options, maxRetries };
    return this;
  }

  /** The answer's object. */
  async do<T>(): Promise<T> {
    return await this.#rest.request<T>(this.toRequest());
  }

  /** The answer's bytes. */
  async raw(): Promise<Uint8Array> {
    return (await this.#rest.raw(this.toRequest())).bytes;
  }

  /** The answer's body as it comes. */
  async stream(): Promise<ResponseBody> {
    return await this.#rest.stream(this.toRequest());
  }

  async watch<T>(): Promise<Watch<T>> {
    this.#query.watch = ['true'];
    return await this.#rest.watch<T>(this.toRequest());
  }

  /** What would be sent. Throws for what no server could answer. */
  toRequest(): RestRequest {
    return {
      method: this.#method,
      path: this.#path(),
      query: this.#query,
      headers: this.#headers,
      ...(this.#resource && { resource: GroupResource.of(this.#groupVersion.group, this.#resource) }),
      ...(this.#name && { name: this.#name }),
      ...(this.#body !== undefined && { body: this.#body }),
      ...this.#options,
    };
  }

  #path(): string {
    if (this.#absPath !== undefined) return (this.#absPath === '/' && this.#suffix ? '' : this.#absPath) + this.#suffix;
    if (this.#namespace === '') {
      if (this.#method === 'POST') throw new Error('an empty namespace may not be set during creation');
      if (this.#name) throw new Error('an empty namespace may not be set when a resource name is provided');
    }
    const { group, version } = this.#groupVersion;
    const path = resourcePath(GroupVersionResource.of(group, version, this.#resource), {
      ...(this.#namespace && { namespace: this.#namespace }),
      ...(this.#name && { name: this.#name }),
      ...(this.#subresource && { subresource: this.#subresource }),
    });
    return path.replace(/\/$/, '') + this.#suffix;
  }
}

function segment(what: string, value: string): string {
  const problems = pathSegmentProblems(value);
  if (problems.length > 0) throw new Error(`invalid ${what} ${JSON.stringify(value)}: [${problems.join(' ')}]`);
  return value;
}

const encodedPath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
