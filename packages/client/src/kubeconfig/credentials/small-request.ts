import { STATUS_CODES } from 'node:http';
import { type Clock, systemClock } from '../../clock/index.ts';
import { childSignal } from '../../wait/child-signal.ts';

export interface SmallRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** CA certificates to trust instead of the system's, PEM. */
  readonly ca?: string | undefined;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

export interface SmallResponse {
  readonly status: number;
  readonly statusText: string;
  readonly text: string;
}

const maxBytes = 1024 * 1024;
const timeoutMs = 30_000;

/** Sends one request to a server other than the API server, over a separate connection. */
export async function smallRequest(request: SmallRequest): Promise<SmallResponse> {
  const { url, method = 'GET', headers = {}, body, ca, signal: parent, clock = systemClock } = request;
  const { origin, host, pathname, search } = new URL(url);
  const { NodeTransport } = await import('../../transport/node/index.ts');
  const transport = new NodeTransport(
    { server: origin, disableCompression: true, clock, ...(ca && { tls: { ca } }) },
    { httpVersion: '1.1' },
  );
  const onTimeout = (): Error => new Error(`${host} does not respond`);
  const { signal, dispose } = childSignal({ parent, timeoutMs, clock, onTimeout });
  try {
    const bytes = body === undefined ? undefined : Buffer.from(body);
    const response = await transport.send({ method, url: pathname + search, headers, body: bytes, signal });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body.chunks()) {
      size += chunk.length;
      if (size > maxBytes) throw new Error(`the response has more than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    const { status } = response;
    return { status, statusText: STATUS_CODES[status] ?? '', text: Buffer.concat(chunks).toString() };
  } finally {
    dispose();
    await transport.close();
  }
}
