const initialSize = 1 << 16;

/** Writes protobuf backwards, so that the length of a nested message is known when it must be written. */
export class MessageWriter {
  #bytes = Buffer.allocUnsafe(initialSize);
  #at = initialSize;

  /** The number of bytes written so far. */
  get length(): number {
    return this.#bytes.length - this.#at;
  }

  /** Returns a copy of the written bytes. */
  take(): Uint8Array {
    return Uint8Array.from(this.#bytes.subarray(this.#at));
  }

  varint(value: number): void {
    const bytes: number[] = [];
    for (let rest = value; ; rest = Math.floor(rest / 128)) {
      if (rest < 128) {
        bytes.push(rest);
        break;
      }
      bytes.push((rest % 128) | 0x80);
    }
    this.#reserve(bytes.length);
    this.#at -= bytes.length;
    this.#bytes.set(bytes, this.#at);
  }

  tag(number: number, wireType: number): void {
    this.varint(number * 8 + wireType);
  }

  /** Writes a string with its length. */
  string(text: string): void {
    const size = Buffer.byteLength(text);
    this.#reserve(size);
    this.#at -= size;
    this.#bytes.write(text, this.#at);
    this.varint(size);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#at -= 8;
    this.#bytes.writeDoubleLE(value, this.#at);
  }

  #reserve(count: number): void {
    if (count <= this.#at) return;
    const used = this.length;
    const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, used + count));
    this.#bytes.copy(grown, grown.length - used, this.#at);
    this.#bytes = grown;
    this.#at = grown.length - used;
  }
}
