import { pipeline, Readable } from 'node:stream';
import { type ResponseBody, TransportError, type TransportResponse } from '../transport.ts';

/** Returns the response with its body decompressed. */
export function gunzipped({ status, headers, body }: TransportResponse): TransportResponse {
  const { 'content-encoding': _coding, 'content-length': _length, ...rest } = headers;
  return { status, headers: rest, body: new GunzippedBody(body) };
}

class GunzippedBody implements ResponseBody {
  readonly #body: ResponseBody;

  constructor(body: ResponseBody) {
    this.#body = body;
  }

  async bytes(): Promise<Uint8Array> {
    const compressed = await this.#body.bytes();
    const { gunzip } = await import('node:zlib');
    return await new Promise((resolve, reject) => {
      gunzip(compressed, (error, bytes) => (error ? reject(broken(error)) : resolve(bytes)));
    });
  }

  async *chunks(): AsyncIterable<Uint8Array> {
    const { createGunzip } = await import('node:zlib');
    const gunzip = createGunzip();
    let failure: unknown;
    // The loop below throws errors of both streams; the body's own error is more specific.
    pipeline(Readable.from(remembering(this.#body.chunks(), (error) => (failure = error))), gunzip, () => {});
    try {
      for await (const chunk of gunzip) yield chunk;
    } catch (error) {
      throw failure ?? broken(error);
    } finally {
      this.#body.cancel();
    }
  }

  cancel(): void {
    this.#body.cancel();
  }
}

async function* remembering(
  chunks: AsyncIterable<Uint8Array>,
  remember: (error: unknown) => void,
): AsyncIterable<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    remember(error);
    throw error;
  }
}

const broken = (cause: unknown): TransportError =>
  new TransportError('the response is not valid gzip', { code: 'EPROTO', cause });
