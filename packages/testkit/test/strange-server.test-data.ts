import { ApiError, toStatus } from '@coxswain/apimachinery/errors';
import { isJsonObject } from '@coxswain/apimachinery/json';
import type { ResponseBody, Transport, TransportRequest, TransportResponse } from '@coxswain/client';
import { type StrangeObject, StrangeObjects } from './strange-objects.test-data.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface About {
  readonly objects: StrangeObjects;
  readonly name: string;
  readonly subresource: string;
  readonly query: URLSearchParams;
  /** The client requests PartialObjectMetadata. */
  readonly isPartial: boolean;
}

interface OpenWatch {
  readonly about: About;
  readonly body: MergedWatch;
  /** The newest resourceVersion of the real server's events in this watch. */
  resourceVersion(): number;
}

/** Messages that only a bug in a component can have written. */
const mistakes = /[^"]*(?:is not iterable|Cannot read properties of|Cannot convert undefined|is not a function)[^"]*/;

/** The subresources whose requests are about the object itself. A scale or a token is another object. */
const ownSubresources = new Set(['', 'status', 'finalize', 'binding', 'eviction']);

/** The number of writes to an object that are accepted. They have no effect, and some controllers would retry them forever. */
const mostWrites = 3;

/**
 * Adds generated objects to the responses of an API server: every requested resource has them, in lists, in watches and by name. Writes to
 * them are accepted and have no effect.
 */
export class StrangeServer {
  readonly #seed: number;
  readonly #resources = new Map<string, StrangeObjects | undefined>();
  readonly #watches = new Set<OpenWatch>();
  /** The kinds whose objects were sent to a client. */
  readonly told = new Set<string>();
  /** Messages about bugs that components wrote into Events or conditions. */
  readonly written: string[] = [];
  /** The current round of objects; undefined while there are none. */
  #round: number | undefined;
  /** Selects the kinds that have objects. */
  #kinds: (kind: string) => boolean = () => true;
  #changes = 0;
  /** The number of writes to each object in this round. */
  readonly #writes = new Map<string, number>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Adds objects of these kinds. */
  enter(kinds: (kind: string) => boolean): void {
    this.#kinds = kinds;
    this.#show('ADDED', 0);
  }

  /** Replaces the objects by those of the next round. */
  change(): void {
    this.#show('MODIFIED', (this.#round ?? 0) + 1);
  }

  #show(type: string, round: number): void {
    this.#round = round;
    this.#changes++;
    this.#writes.clear();
    for (const watch of this.#watches) this.#bring(watch, type);
  }

  /** Deletes the objects. */
  leave(): void {
    for (const watch of this.#watches) this.#bring(watch, 'DELETED');
    this.#round = undefined;
  }

  wrap(inner: Transport): Transport {
    return {
      send: (request) => this.#send(inner, request),
      openWebSocket: (request) => inner.openWebSocket(request),
      close: () => inner.close(),
    };
  }

  async #send(inner: Transport, request: TransportRequest): Promise<TransportResponse> {
    if (request.body) {
      const found = mistakes.exec(decoder.decode(request.body));
      if (found) this.written.push(found[0]);
    }
    const about = this.#about(request);
    if (!about) return inner.send(request);
    if (about.name) return this.#answer(about, request.method) ?? inner.send(request);
    const response = await inner.send(request);
    if (request.method !== 'GET' || response.status !== 200) return response;
    if (isTrue(about.query.get('watch'))) return { ...response, body: this.#watch(about, response.body) };
    return this.#round === undefined ? response : this.#longerList(about, response);
  }

  #about({ url, headers }: TransportRequest): About | undefined {
    const [path = '', query = ''] = url.split('?');
    const found =
      /^\/(?:api|apis\/([^/]+))\/([^/]+)\/(?:namespaces\/[^/]+\/(?=[a-z]))?([^/]+)(?:\/([^/]+))?(?:\/(.+))?$/.exec(
        path,
      );
    if (!found) return undefined;
    const [, group = '', version = '', resource = '', name = '', subresource = ''] = found;
    const key = `${group}/${version}/${resource}`;
    if (!this.#resources.has(key))
      this.#resources.set(key, StrangeObjects.of({ group, version, resource }, this.#seed));
    const objects = this.#resources.get(key);
    const isPartial = String(headers.accept).includes('as=PartialObjectMetadata');
    return objects && { objects, name, subresource, query: new URLSearchParams(query), isPartial };
  }

  /** Returns the response for a generated object; undefined when the request is about another object. */
  #answer({ objects, name, subresource, isPartial }: About, method: string): TransportResponse | undefined {
    if (this.#round === undefined || !this.#kinds(objects.kind) || !ownSubresources.has(subresource)) return undefined;
    const object = objects.of(this.#round).find(({ metadata }) => metadata.name === name);
    if (!object) return undefined;
    if (method === 'GET') return answered(200, formOf(object, { isPartial, resourceVersion: 1 }));
    const key = `${objects.name} ${name}`;
    const writes = (this.#writes.get(key) ?? 0) + 1;
    this.#writes.set(key, writes);
    if (writes > mostWrites)
      return answered(409, toStatus(new ApiError({ code: 409, reason: 'Conflict', message: 'enough' })));
    const isDone = method === 'DELETE' || method === 'POST';
    return answered(
      method === 'POST' ? 201 : 200,
      isDone
        ? { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' }
        : formOf(object, { isPartial, resourceVersion: 1 }),
    );
  }

  async #longerList(about: About, response: TransportResponse): Promise<TransportResponse> {
    const list: unknown = JSON.parse(decoder.decode(await response.body.bytes()));
    if (!isJsonObject(list) || !Array.isArray(list.items)) throw new Error('the response of the server is not a list');
    // The generated objects follow at the end of the last page.
    const more =
      isJsonObject(list.metadata) && list.metadata.continue
        ? []
        : this.#wanted(about).map((object) => formOf(object, { ...about, resourceVersion: 1 }));
    if (more.length > 0) this.told.add(about.objects.name);
    const { 'content-length': _, ...headers } = response.headers;
    return { ...answered(200, { ...list, items: [...list.items, ...more] }), headers };
  }

  #watch(about: About, inner: ResponseBody): MergedWatch {
    let newest = Number(about.query.get('resourceVersion') ?? 0);
    const body = new MergedWatch(inner, {
      onChunk(text) {
        for (const [, version] of text.matchAll(/"resourceVersion":"(\d+)"/g))
          newest = Math.max(newest, Number(version));
      },
      onEnd: () => this.#watches.delete(watch),
    });
    const watch: OpenWatch = { about, body, resourceVersion: () => newest };
    this.#watches.add(watch);
    if (isTrue(about.query.get('sendInitialEvents'))) this.#bring(watch, 'ADDED');
    return body;
  }

  #bring({ about, body, resourceVersion }: OpenWatch, type: string): void {
    const wanted = this.#wanted(about);
    if (wanted.length === 0) return;
    this.told.add(about.objects.name);
    // Not newer than the server's own resourceVersion, and different for every change.
    const version = Math.max(1, resourceVersion() - 100 + this.#changes);
    const lines = wanted.map(
      (object) => `${JSON.stringify({ type, object: formOf(object, { ...about, resourceVersion: version }) })}\n`,
    );
    body.add(encoder.encode(lines.join('')));
  }

  #wanted({ objects, query }: About): readonly StrangeObject[] {
    if (this.#round === undefined || !this.#kinds(objects.kind) || query.has('labelSelector')) return [];
    const fits = (query.get('fieldSelector') ?? '').split(',').map(fieldFilter);
    return objects.of(this.#round).filter((object) => fits.every((isFit) => isFit(object)));
  }
}

function answered(status: number, value: unknown): TransportResponse {
  const bytes = encoder.encode(JSON.stringify(value));
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: {
      bytes: async () => bytes,
      async *chunks() {
        yield bytes;
      },
      cancel() {},
    },
  };
}

const isTrue = (value: string | null): boolean => value === 'true' || value === '1';

/** Parses `a.b=c`, `a.b!=c`, or an empty string. */
function fieldFilter(requirement: string): (object: StrangeObject) => boolean {
  const [, path = '', operator, wanted] = /^([^!=]+)(!?=)(.*)$/.exec(requirement) ?? [];
  if (operator === undefined) return () => true;
  return (object) => {
    const value =
      path.split('.').reduce<unknown>((at, name) => (isJsonObject(at) ? at[name] : undefined), object) ?? '';
    return (value === wanted) === (operator === '=');
  };
}

function formOf(
  object: StrangeObject,
  { isPartial, resourceVersion }: { readonly isPartial: boolean; readonly resourceVersion: number },
): unknown {
  const metadata = { ...object.metadata, resourceVersion: String(resourceVersion) };
  if (isPartial) return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
  return { ...object, metadata };
}

/** A watch into which additional events can be inserted between the server's. */
class MergedWatch implements ResponseBody {
  readonly #inner: ResponseBody;
  readonly #onEnd: () => void;
  readonly #chunks: Uint8Array[] = [];
  #over: { readonly error?: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(inner: ResponseBody, { onChunk, onEnd }: { onChunk(text: string): void; onEnd(): void }) {
    this.#inner = inner;
    this.#onEnd = onEnd;
    void this.#pump(onChunk);
  }

  /** Adds complete lines. */
  add(lines: Uint8Array): void {
    if (this.#over) return;
    this.#chunks.push(lines);
    this.#notify();
  }

  async bytes(): Promise<Uint8Array> {
    const all: Uint8Array[] = [];
    for await (const chunk of this.chunks()) all.push(chunk);
    return Buffer.concat(all);
  }

  async *chunks(): AsyncIterable<Uint8Array> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk) yield chunk;
        else if (this.#over) {
          if ('error' in this.#over) throw this.#over.error;
          return;
        } else
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
      }
    } finally {
      this.cancel();
    }
  }

  cancel(): void {
    this.#finish({});
    this.#inner.cancel();
  }

  async #pump(onChunk: (text: string) => void): Promise<void> {
    let rest = '';
    try {
      for await (const chunk of this.#inner.chunks()) {
        const text = rest + decoder.decode(chunk);
        const end = text.lastIndexOf('\n') + 1;
        rest = text.slice(end);
        onChunk(text.slice(0, end));
        this.add(encoder.encode(text.slice(0, end)));
      }
      this.#finish({});
    } catch (error) {
      this.#finish({ error });
    }
  }

  #finish(over: { readonly error?: unknown }): void {
    if (this.#over) return;
    this.#over = over;
    this.#onEnd();
    this.#notify();
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
