/** The size of the frames in each of the two generations. A watcher that keeps up is never this far behind. */
const defaultMaxBytes = 8 * 1024 * 1024;

type FramesByName = Map<string, Buffer>;

/**
 * Caches the encoded frames of recent watch events, by event and format, for all watchers. A frame that was evicted is made again.
 * Frames are not kept with the events, which stay in the watch cache much longer: each would hold a second copy of its object.
 */
export class RecentFrames {
  readonly #maxBytes: number;
  #young = new WeakMap<object, FramesByName>();
  #old = new WeakMap<object, FramesByName>();
  /** The total size of the frames made since the young generation began. */
  #bytes = 0;

  constructor(maxBytes = defaultMaxBytes) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the frame with this name of an event, or of an array of events that are sent together. Calls `make` if it is not cached. */
  of(events: object, name: string, make: () => Buffer): Buffer {
    const frames = this.#young.get(events) ?? this.#old.get(events) ?? this.#add(events);
    let frame = frames.get(name);
    if (!frame) {
      frame = make();
      frames.set(name, frame);
      this.#count(frame.length);
    }
    return frame;
  }

  #add(events: object): FramesByName {
    const frames: FramesByName = new Map();
    this.#young.set(events, frames);
    return frames;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < this.#maxBytes) return;
    this.#old = this.#young;
    this.#young = new WeakMap();
    this.#bytes = 0;
  }
}
