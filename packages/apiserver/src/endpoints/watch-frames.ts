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

/** One after the other as the media type has it, or each the payload of a WebSocket message. */
export type WatchFraming = 'stream' | 'messages';

/** Makes the frames of one watch. */
export class WatchFrames {
  readonly #scope: ResourceScope;
  readonly #representation: Representation<StreamSerializer>;
  readonly #selection: Selection;
  readonly #framing: WatchFraming;
  readonly #plain: boolean;
  /** Tells apart what looks different. */
  readonly #name: string;
  /** A Table's columns stand in its first event only, so those frames are of one watch alone. */
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

  /** How many of the events the watcher is to see, and their frames in one piece. */
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

  /** Objects that are there already, in pieces to be written one after the other. */
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

  /** An object that says nothing but a resource version. `initial` marks the one after the initial events. */
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

  /** What the event is to somebody who sees a part of the objects only. */
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
    // A message has its length already; only JSON has its line break there, too.
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

/** What the frame shows. Something that goes is shown as it was last seen, at the revision at which it went. */
function objectOf(type: ObjectEventType, event: StoredEvent, { registry }: ResourceScope): StoredObject {
  if (type !== 'DELETED') return registry.view(event.entry.value);
  const last = event.previous ?? event.entry;
  const { codec } = registry;
  const shown = registry.view(last.value);
  return shown.withLine(codec.atRevision(shown, last.revision, event.revision));
}
