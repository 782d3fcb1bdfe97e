import { ApiError, newResourceExpired, newTimeoutError, toStatus } from '@coxswain/apimachinery';
import { repeat, type Timer } from '@coxswain/apimachinery/clock';
import {
  type ApiRequest,
  type ApiResponse,
  headerOf,
  isWebSocketRequest,
  type ResponseSink,
  type WebSocketChoice,
  webSocketResponse,
} from '@coxswain/component-base/http';
import { type CacheEvent, CompactedError } from '@coxswain/storage';
import type { RequestContext } from '../http/request-context.ts';
import type { Selection } from '../registry/selection.ts';
import { parseResourceVersion } from '../registry/store-error.ts';
import type { StoredObject } from '../registry/stored-object.ts';
import { InOrder } from './in-order.ts';
import { selectionOf } from './list.ts';
import { type ListOptions, listOptions } from './options.ts';
import { negotiateWatch, outputOf } from './representation.ts';
import type { ResourceScope } from './scope.ts';
import { WatchFrames } from './watch-frames.ts';
import { WatchStream } from './watch-stream.ts';
import { assertPresentable } from './write-response.ts';

/** The average interval of bookmarks; upstream's. */
const bookmarkMs = 60_000;
/** The last bookmark is sent this long before the watch times out. */
const lastBookmarkMs = 2_000;

/** Handles GET with `watch`: streams events until the timeout, the client's disconnect or the server's shutdown. */
export async function watchResource(context: RequestContext, scope: ResourceScope): Promise<ApiResponse> {
  const { services, registry } = scope;
  const representation = negotiateWatch(context, services.codecs, outputOf(scope));
  assertPresentable(scope, representation, false);
  const options = listOptions(context.query, true);
  const selection = selectionOf(context, scope, options);
  const after = await whereToBegin(scope, options);
  const timeoutMs =
    options.timeoutSeconds !== undefined && options.timeoutSeconds > 0
      ? options.timeoutSeconds * 1000
      : services.minRequestTimeoutMs * (1 + services.random());
  await registry.ready();
  const initial = after === undefined ? await initialObjects(scope, context.info.namespace, selection) : undefined;
  const { request } = context;
  const isWebSocket = isWebSocketRequest(request);
  const frames = new WatchFrames(scope, representation, selection, isWebSocket ? 'messages' : 'stream');
  const stream = (sink: ResponseSink): void =>
    new WatchSession(context, scope, options, selection, frames, initial ?? { revision: after! }, timeoutMs).run(sink);
  if (isWebSocket) return webSocketResponse(request, (offered) => webSocketChoice(request, offered), stream);
  const { mediaType } = representation.serializer;
  return {
    status: 200,
    headers: {
      'content-type': mediaType === 'application/json' ? mediaType : `${mediaType};stream=watch`,
      'cache-control': 'no-cache, private',
    },
    body: { stream },
  };
}

/**
 * Chooses the WebSocket subprotocol, or returns the status of the error: 403 without a valid Origin header, 400 for more than one
 * offered subprotocol. Any single one is accepted, as upstream.
 */
function webSocketChoice(request: ApiRequest, [protocol = '', ...others]: readonly string[]): WebSocketChoice {
  const origin = headerOf(request, 'origin');
  if (!URL.canParse(origin) && !origin.startsWith('/')) return 403;
  return others.length > 0 ? 400 : protocol;
}

/** Returns the revision to watch from, or undefined when the watch begins with the current objects. */
async function whereToBegin({ registry }: ResourceScope, options: ListOptions): Promise<number | undefined> {
  const { resourceVersion, sendInitialEvents } = options;
  const fromNowhere = resourceVersion === '' || resourceVersion === '0';
  if (sendInitialEvents) {
    await registry.reach(resourceVersion);
    return undefined;
  }
  return fromNowhere ? registry.reach(resourceVersion) : parseResourceVersion(resourceVersion);
}

/** The start of a watch. */
interface Beginning {
  readonly revision: number;
  /** The objects at that revision, to be sent as initial events. Undefined when the client has them. */
  readonly objects?: readonly StoredObject[];
}

/** Returns the current objects that are selected, converted to the version of the scope. */
async function initialObjects(
  { registry }: ResourceScope,
  namespace: string,
  selection: Selection,
): Promise<Beginning> {
  const { cache } = registry;
  for (;;) {
    const { revision } = cache;
    const all = cache.list(registry.keys.namespacePrefix(namespace)).entries.map(({ value }) => value);
    const pending = registry.prepare(all);
    if (!pending) return { revision, objects: all.filter((object) => registry.selects(selection, object)) };
    await pending;
  }
}

const objectsOf = (events: readonly CacheEvent<StoredObject>[]): StoredObject[] =>
  events.flatMap(({ entry, previous }) => (previous ? [entry.value, previous.value] : [entry.value]));

/** Runs one watch on a response stream. */
class WatchSession {
  readonly #context: RequestContext;
  readonly #scope: ResourceScope;
  readonly #options: ListOptions;
  readonly #selection: Selection;
  readonly #frames: WatchFrames;
  readonly #beginning: Beginning;
  readonly #inOrder = new InOrder();
  readonly #timeoutMs: number;
  #timers: Timer[] = [];
  #watch: { stop(): void } | undefined;

  constructor(
    context: RequestContext,
    scope: ResourceScope,
    options: ListOptions,
    selection: Selection,
    frames: WatchFrames,
    beginning: Beginning,
    timeoutMs: number,
  ) {
    this.#context = context;
    this.#scope = scope;
    this.#options = options;
    this.#selection = selection;
    this.#frames = frames;
    this.#beginning = beginning;
    this.#timeoutMs = timeoutMs;
  }

  run(sink: ResponseSink): void {
    const { services, registry, resource } = this.#scope;
    const { namespace } = this.#context.info;
    const stream = new WatchStream(
      sink,
      services.watchPacer,
      (events, bytes) => services.onWatchEvents?.(resource, events, bytes),
      (error) => services.onWatchError?.(resource, error),
    );
    const onShutdown = (): void => stream.end();
    const finish = (): void => {
      for (const timer of this.#timers) timer.cancel();
      this.#timers = [];
      this.#watch?.stop();
      services.shuttingDown.removeEventListener('abort', onShutdown);
    };
    stream.onClose(finish);
    if (services.shuttingDown.aborted) {
      stream.end();
      return;
    }
    services.shuttingDown.addEventListener('abort', onShutdown, { once: true });
    const prefix = registry.keys.namespacePrefix(namespace);
    const { name } = this.#selection;
    const single = name !== undefined && (!this.#scope.namespaced || namespace !== '');
    const target = single ? { key: `${prefix}${name}` } : prefix;
    const { revision: after, objects } = this.#beginning;
    if (objects) this.#sendInitial(stream, after, objects);
    else this.#context.onWatchBegun?.();
    const send = (events: readonly CacheEvent<StoredObject>[]): void => {
      const [count, frames] = this.#frames.ofEvents(events);
      if (count > 0) stream.write(frames, count);
    };
    const fail = (error: unknown): void => {
      stream.write(this.#frames.ofError(errorStatus(error, after)), 1);
      stream.end();
    };
    try {
      const watch = registry.cache.watch(target, after, {
        onEvents: registry.definition.versions
          ? (events) => this.#inOrder.run(registry.prepare(objectsOf(events)), () => send(events), fail)
          : send,
        onEnd: (error) => this.#inOrder.run(undefined, () => (error ? fail(error) : stream.end()), fail),
      });
      this.#watch = watch;
      if (stream.closed) watch.stop();
    } catch (error) {
      fail(error);
      return;
    }
    this.#startTimers(stream);
  }

  /** Sends the current objects as ADDED events, then the bookmark that marks the end of the initial events. */
  #sendInitial(stream: WatchStream, revision: number, objects: readonly StoredObject[]): void {
    stream.pour(this.#frames.ofInitial(objects), objects.length, () => this.#context.onWatchBegun?.());
    if (this.#options.allowWatchBookmarks && this.#options.sendInitialEvents)
      stream.write(this.#frames.ofBookmark(revision, true), 1);
  }

  #startTimers(stream: WatchStream): void {
    if (stream.closed) return;
    const { clock, random } = this.#scope.services;
    const later = (ms: number, run: () => void): void => {
      this.#timers.push(clock.setTimeout(run, ms, { background: true }));
    };
    later(this.#timeoutMs, () => stream.end());
    if (!this.#options.allowWatchBookmarks) return;
    const bookmark = (): void => this.#sendBookmark(stream);
    if (this.#timeoutMs > lastBookmarkMs) later(this.#timeoutMs - lastBookmarkMs, bookmark);
    this.#timers.push(repeat(clock, bookmark, bookmarkMs * (0.75 + random() / 2), { background: true }));
  }

  #sendBookmark(stream: WatchStream): void {
    const { cache } = this.#scope.registry;
    cache.requestProgress();
    const revision = Math.max(cache.revision, this.#beginning.revision);
    const write = (): void => stream.write(this.#frames.ofBookmark(revision, false), 1);
    this.#inOrder.run(undefined, write, () => stream.end());
  }
}

function errorStatus(error: unknown, after: number): object {
  if (error instanceof CompactedError)
    return toStatus(newResourceExpired(`too old resource version: ${after} (${error.compactedRevision})`));
  if (error instanceof ApiError) return error.status;
  return toStatus(newTimeoutError('the watch lost its place; list again', 1));
}
