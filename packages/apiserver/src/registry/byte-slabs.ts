const slabBytes = 64 * 1024;

/**
 * Hands out pieces of large buffers for bytes that live long. Node's own pool mixes them with those of requests, so
 * that one cached object keeps eight kilobytes of passing traffic alive; and a buffer each costs more than a small
 * object's bytes.
 */
export class ByteSlabs {
  #slab = Buffer.allocUnsafeSlow(slabBytes);
  #used = 0;

  /** So many bytes, holding anything. */
  allocate(length: number): Buffer {
    if (length > slabBytes / 8) return Buffer.allocUnsafeSlow(length);
    if (this.#used + length > slabBytes) {
      this.#slab = Buffer.allocUnsafeSlow(slabBytes);
      this.#used = 0;
    }
    const piece = this.#slab.subarray(this.#used, this.#used + length);
    this.#used += length;
    return piece;
  }
}
