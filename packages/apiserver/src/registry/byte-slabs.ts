const slabBytes = 64 * 1024;

/**
 * Allocates long-lived bytes from slabs. In Node's buffer pool they would share eight-kilobyte blocks with short-lived request
 * data, and one cached object would keep a whole block alive. A separate buffer per object costs more than a small object's
 * bytes.
 */
export class ByteSlabs {
  #slab = Buffer.allocUnsafeSlow(slabBytes);
  #used = 0;

  /** Returns an uninitialized buffer of that length. */
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
