import { DecodeError } from '../schema/decode-error.ts';

/** A frame that claims to be longer is not waited for. */
const defaultMaxBytes = 16 * 1024 * 1024;

const lineBreak = 0x0a;
const lengthBytes = 4;

/** Cuts a stream into frames as its chunks come in. */
export interface FrameReader {
  /** The frames that the chunk completes. Throws DecodeError when one is too long. */
  push(chunk: Uint8Array): Uint8Array[];
  /** What is left at the end of the stream. Throws DecodeError when it is a part of a frame. */
  end(): Uint8Array[];
}

/** How messages follow each other in a stream. */
export interface Framer {
  /** The message as it goes into the stream. */
  frame(message: Uint8Array): Uint8Array;
  reader(maxBytes?: number): FrameReader;
}

const tooLong = (): DecodeError => new DecodeError('object to decode was longer than maximum allowed size');

/** Bytes that wait for their frame to be complete. Chunks are joined only when it is. */
class Pending {
  #chunks: Uint8Array[] = [];
  length = 0;

  add(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.length += chunk.length;
  }

  /** Takes the first `count` bytes, which must be there. */
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

/** One JSON text in a line. Empty lines mean nothing. */
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

/** Messages after their length, in four bytes with the highest first. */
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
