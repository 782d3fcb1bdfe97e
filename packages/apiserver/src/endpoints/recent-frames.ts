/** Of frames in each of two generations. Nobody who keeps up is so far behind. */
const defaultMaxBytes = 8 * 1024 * 1024;

type FramesByName = Map<string, Buffer>;

/**
 * Frames of watch events by what they are of and how they look, shared by all watchers: an event is framed once, and once more for
 * those who come when it has been forgotten. The events themselves stay much longer, and each would hold a second copy of its object.
 */
export class RecentFrames {
  readonly #maxBytes: number;
  #young = new WeakMap<object, FramesByName>();
  #old = new WeakMap<object, FramesByName>();
  /** Of what was made since the young generation began. */
  #bytes = 0;

  constructor(maxBytes = defaultMaxBytes) {
    this.#maxBytes = maxBytes;
  }

  /** The frame of that name, of an event or of several that are told together. */
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
