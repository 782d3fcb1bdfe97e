/** A source of bytes to send: a Node or web stream, a generator, an array. Text is sent as UTF-8. */
export type ByteSource = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/** Receives bytes. If it returns a promise, the sender waits for that. */
export type ByteSink = WritableStream<Uint8Array> | ((chunk: Uint8Array) => unknown);

interface SinkWriter {
  /** May return a promise to wait for. */
  write(chunk: Uint8Array): unknown;
  /** Called at the end. Streams stay open, because the caller owns them. */
  release(): void;
}

/** Returns a common writer for both forms of sinks. */
export function writerOf(sink: ByteSink | undefined): SinkWriter {
  if (sink === undefined) return { write() {}, release() {} };
  if (typeof sink === 'function') return { write: sink, release() {} };
  const writer = sink.getWriter();
  return { write: (chunk) => writer.write(chunk), release: () => writer.releaseLock() };
}

/** Splits the chunks of a source into pieces of at most `maxBytes`. */
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
 * Yields the values of a source until it ends or `stop` is aborted, even while the next value is pending. On abort the
 * source's `return` is called but not awaited.
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
    // A source with a pending value may not settle `return` before that arrives.
    if (!isEnded) void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}
