import type { Readable } from 'node:stream';
import type { ResponseSink, StreamingBody } from '@coxswain/component-base/http';

/**
 * Sends a stream on, no faster than the client takes it. When the client goes, the stream is destroyed; when the stream
 * breaks, the client sees a cut (`break`) or just an end (`end`).
 */
export function responseBody(source: Readable, onError: 'break' | 'end'): StreamingBody {
  // It may break before anybody reads it.
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
