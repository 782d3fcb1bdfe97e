import type { ChunkQueue } from '../../chunk-queue.ts';

/** As much as comes at a time. */
const slabBytes = 16 * 1024;
/** More are not held for whoever needs them next. */
const mostFree = 64;

/** Memory for what comes and is soon read. */
interface Slab {
  readonly bytes: Buffer;
  used: number;
  /** How many parts of it are still to be read. */
  unread: number;
}

const free: Slab[] = [];

const takeSlab = (): Slab => free.pop() ?? { bytes: Buffer.allocUnsafeSlow(slabBytes), used: 0, unread: 0 };

function giveBack(slab: Slab): void {
  slab.used = 0;
  if (free.length < mostFree) free.push(slab);
}

/**
 * Copies what comes on one stream, in memory that is used again when it has been read. A stream on which nothing waits to be read has
 * none.
 */
export class SlabWriter {
  /** The one that is not full. */
  #slab: Slab | undefined;
  /** What was written last, and goes up to the end of what the slab holds. */
  #last: Uint8Array | undefined;

  /** Returns whether there is room for more. */
  write(piece: Buffer, queue: ChunkQueue): boolean {
    let hasRoom = true;
    for (let at = 0; at < piece.length; ) {
      const slab = this.#slab ?? takeSlab();
      const start = slab.used;
      const length = Math.min(piece.length - at, slabBytes - start);
      piece.copy(slab.bytes, start, at, at + length);
      at += length;
      slab.used += length;
      this.#slab = slab.used < slabBytes ? slab : undefined;
      hasRoom = this.#pass(slab, start, queue);
    }
    return hasRoom;
  }

  /** Together with what was written last, if that still waits. */
  #pass(slab: Slab, start: number, queue: ChunkQueue): boolean {
    const last = start > 0 ? this.#last : undefined;
    const longer = last && slab.bytes.subarray(start - last.length, slab.used);
    const extended = last && longer && queue.extend(last, longer);
    if (extended !== undefined) {
      this.#last = longer;
      return extended;
    }
    slab.unread++;
    this.#last = slab.bytes.subarray(start, slab.used);
    return queue.write(this.#last, () => this.#onRead(slab));
  }

  #onRead(slab: Slab): void {
    if (--slab.unread > 0) return;
    if (this.#slab === slab) {
      this.#slab = undefined;
      this.#last = undefined;
    }
    giveBack(slab);
  }
}
