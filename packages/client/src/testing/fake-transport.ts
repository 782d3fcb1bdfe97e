import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import { readJson, writeJson } from '@coxswain/apimachinery/codec/json';
import { ApiError, newBadRequest, toStatus } from '@coxswain/apimachinery/errors';
import { isJsonObject } from '@coxswain/apimachinery/json';
import type { APIResourceList, KubernetesObject } from '@coxswain/apimachinery/meta';
import { isObjectEvent, type WatchEvent } from '@coxswain/apimachinery/watch';
import { serverFailure } from '../discovery/discovery-errors.ts';
import type { Unstructured } from '../dynamic/unstructured.ts';
import { ChunkQueue } from '../transport/chunk-queue.ts';
import {
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from '../transport/transport.ts';
import { type Action, matchesAction } from './action.ts';
import { jsonAnswer, type Rendering, renderingFor, unknownPath } from './fake-answer.ts';
import { discoveryDocument } from './fake-discovery.ts';
import { ObjectTracker, type ObjectTrackerOptions } from './object-tracker.ts';
import { patchTypeOf } from './patch-object.ts';
import { type RequestInfo, requestInfo } from './request-info.ts';
import { ResourceTable } from './resource-table.ts';
import { listOptions, type Served, trackAction } from './track-action.ts';

export interface FakeTransportOptions extends ObjectTrackerOptions {
  /** The initial objects, also as lists. Each needs apiVersion and kind. */
  readonly objects?: readonly (KubernetesObject | Unstructured)[];
  /** Resources in addition to the built-in ones, for custom kinds. The kinds of `objects` are added automatically. */
  readonly resources?: readonly APIResourceList[];
}

/**
 * Handles an action instead of the tracker: returns an object, a list or a Status, or undefined to pass it on. A thrown
 * ApiError is the response; any other error looks like a failed connection.
 */
export type Reaction = (action: Action) => object | undefined | Promise<object | undefined>;

/** Handles a watch: returns its events, at whose end the watch ends, or undefined to pass it on. */
export type WatchReaction = (
  action: Action,
) => AsyncIterable<WatchEvent> | undefined | Promise<AsyncIterable<WatchEvent> | undefined>;

interface Reactor<R> {
  readonly verb: string;
  readonly resource: string;
  readonly reaction: R;
}

/** Maximum number of recorded actions. */
const longestRecord = 100_000;

/**
 * A fake server: keeps objects in memory, records the actions of clients, and returns the responses of reactors. It is
 * a transport, so that every client and informer works on it unchanged.
 *
 * ```ts
 * const fake = new FakeTransport({ objects: [pod] });
 * fake.prependReactor('update', 'pods', () => { throw newConflict(…); });
 * const rest = new RESTClient(fake);
 * ```
 *
 * It does not default, validate, authorize, convert or collect garbage, and its apply is only a merge. When it matters
 * that a server would accept the requests, use a real one in the same process: `startApiServer` of
 * `@coxswain/apiserver` with an `InProcessTransport` takes a fifth of a second.
 */
export class FakeTransport implements Transport {
  readonly #options: FakeTransportOptions;
  readonly #clock: Clock;
  #reactors: readonly Reactor<Reaction>[] = [];
  #watchReactors: readonly Reactor<WatchReaction>[] = [];
  #actions: Action[] = [];
  #state: Promise<{ table: ResourceTable; tracker: ObjectTracker }> | undefined;
  /** The open watches. */
  readonly #streams = new Set<ChunkQueue>();
  #isClosed = false;

  constructor(options: FakeTransportOptions = {}) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** The actions so far, except discovery; only the last `longestRecord`. */
  get actions(): readonly Action[] {
    return [...this.#actions];
  }

  clearActions(): void {
    this.#actions = [];
  }

  /** The objects, to read and change them directly. */
  async tracker(): Promise<ObjectTracker> {
    return (await this.#ready()).tracker;
  }

  /** Adds a reactor before the existing ones. The resource may be `pods`, `pods/status` or `*`, the verb `*`. */
  prependReactor(verb: string, resource: string, reaction: Reaction): void {
    this.#reactors = [{ verb, resource, reaction }, ...this.#reactors];
  }

  /** Adds a watch reactor before the existing ones. */
  prependWatchReactor(resource: string, reaction: WatchReaction): void {
    this.#watchReactors = [{ verb: 'watch', resource, reaction }, ...this.#watchReactors];
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    if (this.#isClosed) throw new TransportError('the transport was closed', { mayHaveBeenSent: false });
    request.signal?.throwIfAborted();
    try {
      return await this.#answer(request);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const status = toStatus(error);
      return jsonAnswer(status.code ?? 500, status);
    }
  }

  async openWebSocket(): Promise<never> {
    throw new TransportError('a fake server cannot be reached by WebSocket', { mayHaveBeenSent: false });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stream of [...this.#streams]) stream.destroy();
  }

  async #answer(request: TransportRequest): Promise<TransportResponse> {
    const { table, tracker } = await this.#ready();
    const info = requestInfo(request);
    const served = info && servedBy(table, info);
    if (!info || !served) {
      const document = discoveryDocument(table, request.url.split('?')[0] ?? '');
      if (document) return jsonAnswer(200, document);
      if (info && table.list(info.resource.groupVersion.toString())) throw serverFailure(404);
      return unknownPath();
    }
    const render = renderingFor(headerOf(request, 'accept'));
    const action = await actionOf(request, info);
    this.#record(action);
    if (action.verb === 'watch') return this.#watch(action, tracker, render, request.signal);
    const answer = (await react(this.#reactors, action)) ?? (await trackAction(tracker, action, served));
    request.signal?.throwIfAborted();
    return jsonAnswer(statusOf(action, answer), render(answer));
  }

  async #watch(
    action: Action,
    tracker: ObjectTracker,
    render: Rendering,
    signal: AbortSignal | undefined,
  ): Promise<TransportResponse> {
    const events = await react(this.#watchReactors, action);
    const stream = new ChunkQueue(signal);
    const send = (event: WatchEvent): void => {
      const object = isObjectEvent(event) && isJsonObject(event.object) ? render(event.object) : event.object;
      stream.write(new TextEncoder().encode(`${writeJson({ type: event.type, object })}\n`));
      if (event.type === 'ERROR') stream.end();
    };
    this.#streams.add(stream);
    stream.onClose(() => this.#streams.delete(stream));
    if (events) void pump(events, send, stream);
    else stream.onClose(tracker.watch(action.resource, action.namespace, listOptions(action.options), send));
    const seconds = Number(action.options.timeoutSeconds ?? 0);
    if (seconds > 0) {
      const timer = this.#clock.setTimeout(() => stream.end(), seconds * 1000);
      stream.onClose(() => timer.cancel());
    }
    return { status: 200, headers: { 'content-type': 'application/json' }, body: stream };
  }

  #ready(): Promise<{ table: ResourceTable; tracker: ObjectTracker }> {
    this.#state ??= this.#load();
    return this.#state;
  }

  async #load(): Promise<{ table: ResourceTable; tracker: ObjectTracker }> {
    const table = await ResourceTable.withBuiltIn(this.#options.resources ?? []);
    const tracker = new ObjectTracker(table, this.#options);
    tracker.add(...(this.#options.objects ?? []));
    return { table, tracker };
  }

  #record(action: Action): void {
    this.#actions.push(action);
    if (this.#actions.length > longestRecord) this.#actions.shift();
  }
}

function servedBy(table: ResourceTable, { resource, subresource }: RequestInfo): Served | undefined {
  const found = table.get(resource);
  if (!found || subresource === '') return found && { resource: found };
  const below = table.get(resource, subresource.split('/')[0]);
  return below && { resource: found, subresource: below };
}

/** Returns the first response of a matching reactor. */
async function react<T>(
  reactors: readonly Reactor<(action: Action) => T | undefined | Promise<T | undefined>>[],
  action: Action,
): Promise<T | undefined> {
  for (const { verb, resource, reaction } of reactors) {
    if (!matchesAction(action, verb, resource)) continue;
    const answer = await reaction(action);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

/** Writes events until they end or the watch is closed. */
async function pump(
  events: AsyncIterable<WatchEvent>,
  send: (event: WatchEvent) => void,
  stream: ChunkQueue,
): Promise<void> {
  const iterator = events[Symbol.asyncIterator]();
  stream.onClose(() => void iterator.return?.().catch(() => {}));
  try {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) send(next.value);
    stream.end();
  } catch {
    stream.destroy();
  }
}

async function actionOf(request: TransportRequest, info: RequestInfo): Promise<Action> {
  const body = request.body && request.body.length > 0 ? await read(request.body) : undefined;
  switch (info.verb) {
    case 'create':
    case 'update':
      if (!isJsonObject(body)) throw newBadRequest('the body of the request is not an object');
      return { ...info, object: body };
    case 'patch':
      return { ...info, patch: { type: patchTypeOf(headerOf(request, 'content-type')), body } };
    case 'delete':
    case 'deletecollection':
      return { ...info, ...(isJsonObject(body) && { deleteOptions: body }) };
    default:
      return info;
  }
}

/** Parses JSON, or YAML, which apply may use. */
async function read(bytes: Uint8Array): Promise<unknown> {
  const text = new TextDecoder().decode(bytes);
  try {
    return readJson(text);
  } catch {
    const { parseYaml } = await import('@coxswain/apimachinery/codec');
    return parseYaml(text).value;
  }
}

function headerOf({ headers }: TransportRequest, name: string): string {
  const value = headers[name];
  return value === undefined ? '' : typeof value === 'string' ? value : value.join(', ');
}

/** The HTTP status of the response: 201 for create. */
function statusOf({ verb }: Action, answer: object): number {
  if ('kind' in answer && answer.kind === 'Status' && 'code' in answer && typeof answer.code === 'number') {
    return answer.code;
  }
  return verb === 'create' ? 201 : 200;
}
