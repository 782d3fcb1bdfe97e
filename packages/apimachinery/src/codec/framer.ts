import { DecodeError } from '../schema/decode-error.ts';

/** The default maximum length of a frame. A reader throws for a longer frame without waiting for its end. */
const defaultMaxBytes = 16 * 1024 * 1024;

const lineBreak = 0x0a;
const lengthBytes = 4;

/** Splits a stream of chunks into frames. */
export interface FrameReader {
  /** Returns the frames that the chunk completes. Throws DecodeError when a frame is too long. */
  push(chunk: Uint8Array): Uint8Array[];
  /** Returns the rest at the end of the stream. Throws DecodeError when it is an incomplete frame. */
  end(): Uint8Array[];
}

/** How messages are delimited in a stream. */
export interface Framer {
  /** Returns the message with its delimiter or length, as written to the stream. */
  frame(message: Uint8Array): Uint8Array;
  reader(maxBytes?: number): FrameReader;
}

const tooLong = (): DecodeError => new DecodeError('object to decode was longer than maximum allowed size');

/** The bytes of incomplete frames. Chunks are joined only when a frame is complete. */
class Pending {
  #chunks: Uint8Array[] = [];
  length = 0;

  add(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.length += chunk.length;
  }

  /** Removes and returns the first `count` bytes, which must be present. */
  take(count: number): Uint8Array {
    const [first] = this.#chunks;
    this.length -= count;
    if (first && first.length >= count) {
      if (first.length === count) this.#chunks.shift();
      else this.#chunks[0] = first.subarray(count);
      return first.subarray(0, count);
    }
    const bytes = new Uint8Array(count);
    let filled = 0;
    while (filled < count) {
      const chunk = this.#chunks[0]!;
      const part = chunk.subarray(0, count - filled);
      bytes.set(part, filled);
      filled += part.length;
      if (part.length === chunk.length) this.#chunks.shift();
      else this.#chunks[0] = chunk.subarray(part.length);
    }
    return bytes;
  }
}

/** One JSON text per line. Blank lines are skipped. */
export const jsonFramer: Framer = {
  frame(message) {
    if (message.at(-1) === lineBreak) return message;
    const framed = new Uint8Array(message.length + 1);
    framed.set(message);
    framed[message.length] = lineBreak;
    return framed;
  },

  reader(maxBytes = defaultMaxBytes) {
    const pending = new Pending();
    const isBlank = (line: Uint8Array): boolean => line.every((byte) => byte <= 0x20);
    return {
      push(chunk) {
        const frames: Uint8Array[] = [];
        let rest = chunk;
        for (let end = rest.indexOf(lineBreak); end !== -1; end = rest.indexOf(lineBreak)) {
          pending.add(rest.subarray(0, end + 1));
          rest = rest.subarray(end + 1);
          if (pending.length > maxBytes) throw tooLong();
          const line = pending.take(pending.length);
          if (!isBlank(line)) frames.push(line);
        }
        pending.add(rest);
        if (pending.length > maxBytes) throw tooLong();
        return frames;
      },
      end() {
        const line = pending.take(pending.length);
        return isBlank(line) ? [] : [line];
      },
    };
  },
};

/** Each message is preceded by its length: four bytes, big-endian. */
export const lengthDelimitedFramer: Framer = {
  frame(message) {
    const framed = new Uint8Array(lengthBytes + message.length);
    new DataView(framed.buffer).setUint32(0, message.length);
    framed.set(message, lengthBytes);
    return framed;
  },

  reader(maxBytes = defaultMaxBytes) {
    const pending = new Pending();
    let wanted: number | undefined;
    return {
      push(chunk) {
        const frames: Uint8Array[] = [];
        pending.add(chunk);
        for (;;) {
          if (wanted === undefined) {
            if (pending.length < lengthBytes) return frames;
            const header = pending.take(lengthBytes);
            wanted = new DataView(header.buffer, header.byteOffset).getUint32(0);
            if (wanted > maxBytes) throw tooLong();
          }
          if (pending.length < wanted) return frames;
          frames.push(pending.take(wanted));
          wanted = undefined;
        }
      },
      end() {
        if (wanted !== undefined || pending.length > 0) throw new DecodeError('unexpected EOF');
        return [];
      },
    };
  },
};
