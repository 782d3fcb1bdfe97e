import { PassThrough, Readable } from 'node:stream';
import type { ApiHandler, ApiRequest, ApiResponse, ResponseSink } from '@coxswain/component-base/http';

/** What an API server in the same process asks a kubelet. */
interface DialRequest {
  readonly method: string;
  /** Percent-encoded, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly signal: AbortSignal;
}

interface DialResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Readable;
}

/** Reaches a kubelet in this process without a socket: what the API server takes as the dialer of a local kubelet. */
export interface KubeletDialer {
  dial(target: unknown, request: DialRequest): Promise<DialResponse>;
}

export const inProcessDialer = (handler: ApiHandler): KubeletDialer => ({
  dial: async (_, request) => {
    const { status, headers, body } = await handler(apiRequest(request));
    return { status, headers, body: bodyOf(body) };
  },
});

function apiRequest({ method, path, headers, signal }: DialRequest): ApiRequest {
  const mark = path.indexOf('?');
  return {
    method,
    path: mark < 0 ? path : path.slice(0, mark),
    search: mark < 0 ? '' : path.slice(mark + 1),
    headers,
    connection: { remoteAddress: '', protocol: 'in-process', clientCertificates: [] },
    signal,
    // None of the kubelet's own requests has a body.
    readBody: async () => new Uint8Array(),
    streamBody: async function* () {},
  };
}

function bodyOf(body: ApiResponse['body']): Readable {
  if (body === undefined || 'upgrade' in body) return Readable.from([]);
  if (body instanceof Uint8Array) return Readable.from([body]);
  if (!('stream' in body)) return Readable.from(body);
  const through = new PassThrough();
  body.stream(sinkOf(through));
  return through;
}

const sinkOf = (through: PassThrough): ResponseSink => ({
  write: (chunk, sent) => through.write(chunk, () => sent?.()),
  get pendingBytes() {
    return through.writableLength;
  },
  onDrain: (callback) => through.once('drain', callback),
  onClose: (callback) => through.once('close', callback),
  end: () => through.end(),
  destroy: () => through.destroy(),
});
