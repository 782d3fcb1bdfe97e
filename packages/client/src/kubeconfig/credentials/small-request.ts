import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

export interface SmallRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** PEM of those to trust instead of the system's. */
  readonly ca?: string | undefined;
  readonly signal: AbortSignal;
}

export interface SmallResponse {
  readonly status: number;
  readonly statusText: string;
  readonly text: string;
}

const maxBytes = 1024 * 1024;
/** How long there may be silence. */
const timeoutMs = 30_000;

/** One request to somebody other than the API server, on a connection of its own. */
export function smallRequest({
  url,
  method = 'GET',
  headers = {},
  body,
  ca,
  signal,
}: SmallRequest): Promise<SmallResponse> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? httpsRequest : httpRequest;
    const request = send(
      url,
      { method, headers, signal, agent: false, timeout: timeoutMs, ...(ca && { ca }) },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size <= maxBytes) chunks.push(chunk);
          else response.destroy(new Error(`the answer has more than ${maxBytes} bytes`));
        });
        response.on('error', reject);
        response.on('end', () => {
          const status = response.statusCode ?? 0;
          resolve({ status, statusText: response.statusMessage ?? '', text: Buffer.concat(chunks).toString() });
        });
      },
    );
    request.on('timeout', () => request.destroy(new Error(`${new URL(url).host} does not answer`)));
    request.on('error', reject);
    request.end(body);
  });
}
