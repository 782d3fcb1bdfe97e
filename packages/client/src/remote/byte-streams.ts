/** Bytes to be sent: a stream of Node or of the web, a generator, an array. Text is sent as UTF-8. */
export type ByteSource = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/** Where received bytes go. Whoever returns a promise makes the sender wait for it. */
export type ByteSink = WritableStream<Uint8Array> | ((chunk: Uint8Array) => unknown);

interface SinkWriter {
  /** What is returned may be a promise to wait for. */
  write(chunk: Uint8Array): unknown;
  /** No more will come. A stream stays open: it is the caller's. */
  release(): void;
}

/** One way to write to either form. */
export function writerOf(sink: ByteSink | undefined): SinkWriter {
  if (sink === undefined) return { write() {}, release() {} };
  if (typeof sink === 'function') return { write: sink, release() {} };
  const writer = sink.getWriter();
  return { write: (chunk) => writer.write(chunk), release: () => writer.releaseLock() };
}

/** Of everything that comes from a source, pieces of at most so many bytes. */
export async function* pieces(
  source: AsyncIterable<Uint8Array | string>,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  for await (const chunk of source) {
    const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : chunk;
    for (let start = 0; start < bytes.length; start += maxBytes) yield bytes.subarray(start, start + maxBytes);
  }
}

/**
 * The values of a source until it ends or `stop` is aborted, which counts also while the next value is still awaited. The
 * source is told that nobody wants more, and not waited for.
 */
export async function* until<T>(
  source: AsyncIterable<T> | Iterable<T>,
  stop: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  const iterator: AsyncIterator<T> | Iterator<T> =
    Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  let wake: (next: IteratorReturnResult<undefined>) => void = () => {};
  const onStop = (): void => wake({ done: true, value: undefined });
  stop.addEventListener('abort', onStop, { once: true });
  let isEnded = false;
  try {
    while (!stop.aborted) {
      const next = await new Promise<IteratorResult<T, unknown>>((resolve, reject) => {
        wake = resolve;
        Promise.resolve(iterator.next()).then(resolve, (error) => {
          isEnded = true;
          reject(error);
        });
      });
      isEnded = next.done === true && !stop.aborted;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    stop.removeEventListener('abort', onStop);
    // A source that waits for its next value may not answer before that comes.
    if (!isEnded) void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}
