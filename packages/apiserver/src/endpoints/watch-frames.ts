import {
  INITIAL_EVENTS_ANNOTATION_KEY,
  type KubernetesObject,
  type StreamSerializer,
  type WatchEventType,
} from '@coxswain/apimachinery';
import { opcodes, frame as webSocketFrame } from '@coxswain/component-base/http';
import type { CacheEvent } from '@coxswain/storage';
import type { Selection } from '../registry/selection.ts';
import type { StoredObject } from '../registry/stored-object.ts';
import type { Representation } from './representation.ts';
import type { ResourceScope } from './scope.ts';
import { asTable } from './table.ts';
import { encoded, isPlain, presented } from './write-response.ts';

type ObjectEventType = 'ADDED' | 'MODIFIED' | 'DELETED';
type StoredEvent = CacheEvent<StoredObject>;

const chunkBytes = 64 * 1024;

/** `stream`: concatenated with the framing of the media type. `messages`: each event is a WebSocket message. */
export type WatchFraming = 'stream' | 'messages';

/** Encodes the events of one watch. */
export class WatchFrames {
  readonly #scope: ResourceScope;
  readonly #representation: Representation<StreamSerializer>;
  readonly #selection: Selection;
  readonly #framing: WatchFraming;
  readonly #plain: boolean;
  /** The cache key of frames in `RecentFrames`: differs for every format. */
  readonly #name: string;
  /** Only the first event of a watch has a Table's columns. Hence frames of Tables are not shared between watches. */
  #headersSent = false;

  constructor(
    scope: ResourceScope,
    representation: Representation<StreamSerializer>,
    selection: Selection,
    framing: WatchFraming = 'stream',
  ) {
    this.#scope = scope;
    this.#representation = { ...representation, pretty: false };
    this.#selection = selection;
    this.#plain = isPlain(scope, this.#representation);
    const isAsStored = this.#plain && !scope.registry.definition.versions;
    const form = isAsStored ? '' : `${scope.kind.apiVersion} ${this.#plain ? '' : representation.name}`;
    this.#framing = framing;
    this.#name = framing === 'stream' ? form : `${framing} ${form}`;
  }

  /** Returns the number of events that the watcher selects, and their concatenated frames. */
  ofEvents(events: readonly StoredEvent[]): [count: number, frames: Buffer] {
    if (!this.#selection.isEverything || this.#isTable) {
      const frames = events.map((event) => this.#select(event)).filter((frame) => frame !== undefined);
      return [frames.length, frames.length === 1 ? frames[0]! : Buffer.concat(frames)];
    }
    const [first] = events;
    if (events.length === 1 && first) return [1, this.#frame(typeOf(first), first)];
    const frames = this.#scope.services.recentFrames.of(events, this.#name, () =>
      Buffer.concat(events.map((event) => this.#frame(typeOf(event), event))),
    );
    return [events.length, frames];
  }

  /** Returns the ADDED frames of the initial objects, in chunks. */
  *ofInitial(objects: readonly StoredObject[]): Iterator<Buffer> {
    let frames: Buffer[] = [];
    let length = 0;
    for (const object of objects) {
      const frame = this.#wrap('ADDED', this.#scope.registry.view(object));
      frames.push(frame);
      length += frame.length;
      if (length < chunkBytes) continue;
      yield Buffer.concat(frames, length);
      frames = [];
      length = 0;
    }
    if (frames.length > 0) yield Buffer.concat(frames, length);
  }

  /** Returns a BOOKMARK frame. `initial` adds the annotation that marks the end of the initial events. */
  ofBookmark(revision: number, initial: boolean): Buffer {
    const resourceVersion = String(revision);
    const { hub, complete } = this.#scope.registry.definition;
    const nothing = { kind: hub.kind, apiVersion: hub.apiVersion };
    const bookmark: KubernetesObject = {
      ...(complete?.(nothing) ?? nothing),
      metadata: { resourceVersion, ...(initial && { annotations: { [INITIAL_EVENTS_ANNOTATION_KEY]: 'true' } }) },
    };
    if (!this.#isTable) return this.#encode('BOOKMARK', presented(this.#scope, bookmark, this.#representation));
    const table = asTable(this.#scope, [bookmark], { resourceVersion }, this.#representation, !this.#headersSent);
    this.#headersSent = true;
    return this.#encode('BOOKMARK', table);
  }

  ofError(status: object): Buffer {
    return this.#encode('ERROR', status);
  }

  get #isTable(): boolean {
    return this.#representation.target === 'Table';
  }

  /** Returns the frame of an event for a watch with a selector: an object that starts or stops matching is ADDED or DELETED. */
  #select(event: StoredEvent): Buffer | undefined {
    const { registry } = this.#scope;
    const before = event.previous !== undefined && registry.selects(this.#selection, event.previous.value);
    const now = event.type === 'put' && registry.selects(this.#selection, event.entry.value);
    if (now) return this.#frame(before ? 'MODIFIED' : 'ADDED', event);
    return before ? this.#frame('DELETED', event) : undefined;
  }

  #frame(type: ObjectEventType, event: StoredEvent): Buffer {
    if (this.#isTable) return this.#wrap(type, objectOf(type, event, this.#scope));
    return this.#scope.services.recentFrames.of(event, `${type}${this.#name}`, () =>
      this.#wrap(type, objectOf(type, event, this.#scope)),
    );
  }

  #wrap(type: ObjectEventType, stored: StoredObject): Buffer {
    if (this.#plain) return this.#asMessage(Buffer.concat([heads[type], stored.bytes, tail]));
    if (!this.#isTable) return this.#framed(type, encoded(this.#scope, stored, this.#representation));
    const hub = this.#scope.registry.codec.decode(stored.line);
    const { resourceVersion = '' } = hub.metadata ?? {};
    const table = asTable(this.#scope, [hub], { resourceVersion }, this.#representation, !this.#headersSent);
    this.#headersSent = true;
    return this.#encode(type, table);
  }

  #encode(type: WatchEventType, object: object): Buffer {
    return this.#framed(type, this.#representation.serializer.encode(object));
  }

  #framed(type: WatchEventType, object: Uint8Array): Buffer {
    const { serializer } = this.#representation;
    const event = serializer.wrapEvent(type, object);
    // WebSocket messages need no framing, but JSON keeps its line break, as upstream.
    const bytes = this.#framing === 'stream' || this.#isText ? serializer.framer.frame(event) : event;
    return this.#asMessage(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  }

  #asMessage(bytes: Buffer): Buffer {
    if (this.#framing === 'stream') return bytes;
    return webSocketFrame(this.#isText ? opcodes.text : opcodes.binary, bytes);
  }

  get #isText(): boolean {
    return this.#representation.serializer.mediaType === 'application/json';
  }
}

const head = (type: ObjectEventType): Buffer => Buffer.from(`{"type":"${type}","object":`);
const heads = { ADDED: head('ADDED'), MODIFIED: head('MODIFIED'), DELETED: head('DELETED') };
const tail = Buffer.from('}\n');

const typeOf = ({ type, previous }: StoredEvent): ObjectEventType =>
  type === 'delete' ? 'DELETED' : previous ? 'MODIFIED' : 'ADDED';

/** Returns the object in the frame. For DELETED it is the last state, with the resourceVersion of the deletion. */
function objectOf(type: ObjectEventType, event: StoredEvent, { registry }: ResourceScope): StoredObject {
  if (type !== 'DELETED') return registry.view(event.entry.value);
  const last = event.previous ?? event.entry;
  const { codec } = registry;
  const shown = registry.view(last.value);
  return shown.withLine(codec.atRevision(shown, last.revision, event.revision));
}
