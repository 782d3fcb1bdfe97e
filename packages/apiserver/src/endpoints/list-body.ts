import type { ListMeta } from '@coxswain/apimachinery';
import type { ApiResponse, ResponseSink } from '@coxswain/component-base/http';
import type { StoredObject } from '../registry/stored-object.ts';
import type { ResourceScope } from './scope.ts';

/** The approximate chunk size of a streamed list: large enough for throughput, small enough to let other requests run in between. */
const chunkBytes = 256 * 1024;

/**
 * Returns the JSON of a list, concatenated from the cached bytes of its objects. A short list is a single buffer. A long one is
 * streamed: its chunks are made no faster than the client reads them.
 */
export function listBody(
  scope: ResourceScope,
  metadata: ListMeta,
  objects: readonly StoredObject[],
): { readonly bytes: number; readonly body: NonNullable<ApiResponse['body']> } {
  const { listKind, kind } = scope;
  const head = Buffer.from(
    `{"kind":${JSON.stringify(listKind)},"apiVersion":${JSON.stringify(kind.apiVersion)},"metadata":${JSON.stringify(metadata)},"items":[`,
  );
  const chunks = new ListChunks(head, objects, scope.registry.codec.itemOffset);
  const bytes = chunks.totalBytes;
  if (bytes <= chunkBytes) return { bytes, body: chunks.next(bytes)! };
  return { bytes, body: { stream: (sink) => pour(chunks, sink) } };
}

/** Writes chunks until the sink is full, and continues when it drains. */
function pour(chunks: ListChunks, sink: ResponseSink): void {
  let open = true;
  sink.onClose(() => {
    open = false;
  });
  const write = (): void => {
    while (open) {
      const buffer = freeBuffers.pop() ?? Buffer.allocUnsafeSlow(chunkBytes);
      const chunk = chunks.next(chunkBytes, buffer);
      if (!chunk) {
        recycle(buffer);
        open = false;
        sink.end();
        return;
      }
      if (!sink.write(chunk, () => recycle(buffer))) return;
    }
  };
  sink.onDrain(write);
  write();
}

/**
 * Buffers that have been sent, for reuse by any list. Without reuse, a few large lists would leave tens of megabytes of garbage
 * until the next collection.
 */
const freeBuffers: Buffer[] = [];
const maxFreeBuffers = 16;

function recycle(buffer: Buffer): void {
  if (freeBuffers.length < maxFreeBuffers) freeBuffers.push(buffer);
}

const opening = 0x7b;
const comma = 0x2c;
const tail = Buffer.from(']}\n');

class ListChunks {
  readonly totalBytes: number;
  readonly #head: Buffer;
  readonly #objects: readonly StoredObject[];
  readonly #offset: number;
  #next = 0;
  #begun = false;
  #ended = false;

  constructor(head: Buffer, objects: readonly StoredObject[], offset: number) {
    this.#head = head;
    this.#objects = objects;
    this.#offset = offset;
    let total = head.length + tail.length + Math.max(0, objects.length - 1);
    for (const { line } of objects) total += itemLength(line, offset);
    this.totalBytes = total;
  }

  /**
   * Returns the next chunk, or undefined at the end. It is written into `buffer` if it fits. It has at most `size` bytes, unless
   * a single object is larger.
   */
  next(size: number, buffer?: Buffer): Buffer | undefined {
    if (this.#ended) return undefined;
    const objects = this.#objects;
    let length = this.#begun ? 0 : this.#head.length;
    let last = this.#next;
    while (last < objects.length) {
      const more = itemLength(objects[last]!.line, this.#offset) + (last === 0 ? 0 : 1);
      if (last > this.#next && length + more + tail.length > size) break;
      length += more;
      last++;
    }
    const ends = last === objects.length;
    if (ends) length += tail.length;
    const chunk = buffer && length <= buffer.length ? buffer.subarray(0, length) : Buffer.allocUnsafe(length);
    let at = 0;
    if (!this.#begun) {
      chunk.set(this.#head, 0);
      at = this.#head.length;
      this.#begun = true;
    }
    for (let index = this.#next; index < last; index++) {
      const { line } = objects[index]!;
      if (index > 0) chunk[at++] = comma;
      chunk[at++] = opening;
      // Without kind and apiVersion at the beginning, and without the line break at the end.
      at += line.copy(chunk, at, this.#offset, line.length - 1);
    }
    this.#next = last;
    if (ends) chunk.set(tail, at);
    this.#ended = ends;
    return chunk;
  }
}

const itemLength = (line: Buffer, offset: number): number => line.length - 1 - offset + 1;
