import type { ChunkQueue } from '../../chunk-queue.ts';

/** Size of a slab: as much as is received at a time. */
const slabBytes = 16 * 1024;
/** Maximum number of free slabs. */
const mostFree = 64;

/** Reusable memory for received data. */
interface Slab {
  readonly bytes: Buffer;
  used: number;
  /** Number of unread parts of it. */
  unread: number;
}

const free: Slab[] = [];

const takeSlab = (): Slab => free.pop() ?? { bytes: Buffer.allocUnsafeSlow(slabBytes), used: 0, unread: 0 };

function giveBack(slab: Slab): void {
  slab.used = 0;
  if (free.length < mostFree) free.push(slab);
}

/**
 * Copies the data of one stream into slabs, which are reused when they have been read. A stream without unread data
 * holds no slab.
 */
export class SlabWriter {
  /** The current slab, which is not full. */
  #slab: Slab | undefined;
  /** The last written part, which extends to the end of the used part of the slab. */
  #last: Uint8Array | undefined;

  /** Writes a piece. Returns false when the queue is full. */
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

  /** Adds a part to the queue, joined with the last one if that is unread. */
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
