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
 * Builds a request step by step; it is sent by `do`, `raw`, `stream` or `watch`. Each step throws for names that cannot be
 * a path segment.
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

  /** The plural, as in the path. */
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

  /** Appends segments to the path. */
  suffix(...segments: string[]): this {
    this.#suffix += segments.map((each) => `/${encodedPath(each)}`).join('');
    return this;
  }

  /** An absolute path instead of a resource's; not percent-encoded. */
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

  /** Sets a header, replacing earlier values. */
  setHeader(name: string, ...values: string[]): this {
    this.#headers[name.toLowerCase()] = values.length === 1 ? values[0]! : values;
    return this;
  }

  /** The body. Sent as JSON; bytes and text, such as YAML, are sent as they are. */
  body(body: unknown): this {
    this.#body = body;
    return this;
  }

  /** Timeout of the whole call, also sent to the server. */
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

  /** Sends the request and returns the response's object. */
  async do<T>(): Promise<T> {
    return await this.#rest.request<T>(this.toRequest());
  }

  /** Sends the request and returns the response's bytes. */
  async raw(): Promise<Uint8Array> {
    return (await this.#rest.raw(this.toRequest())).bytes;
  }

  /** Sends the request and returns the response's body as a stream. */
  async stream(): Promise<ResponseBody> {
    return await this.#rest.stream(this.toRequest());
  }

  async watch<T>(): Promise<Watch<T>> {
    this.#query.watch = ['true'];
    return await this.#rest.watch<T>(this.toRequest());
  }

  /** Returns the request. Throws for an invalid combination of namespace and name. */
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
