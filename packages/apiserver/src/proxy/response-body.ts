import type { Readable } from 'node:stream';
import type { ResponseSink, StreamingBody } from '@coxswain/component-base/http';

/**
 * Returns a response body that forwards a stream with backpressure. When the client disconnects, the stream is destroyed. When the
 * stream fails, the client's connection is closed (`break`) or the response just ends (`end`).
 */
export function responseBody(source: Readable, onError: 'break' | 'end'): StreamingBody {
  // The stream may fail before it is read.
  source.on('error', () => {});
  return { stream: (sink) => pump(source, sink, onError) };
}

function pump(source: Readable, sink: ResponseSink, onError: 'break' | 'end'): void {
  let ended = false;
  sink.onClose(() => source.destroy());
  sink.onDrain(() => source.resume());
  source.on('data', (chunk: Uint8Array) => {
    if (!sink.write(chunk)) source.pause();
  });
  source.once('end', () => {
    ended = true;
    sink.end();
  });
  const onClose = () => {
    if (ended) return;
    if (onError === 'end') sink.end();
    else sink.destroy();
  };
  if (source.destroyed) onClose();
  else source.once('close', onClose);
}
