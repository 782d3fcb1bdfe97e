import { systemEventLoop } from '@coxswain/apimachinery/turns';
import type { RequestContext, RequestInfo } from '../http/request-context.ts';
import { readRequestInfo } from '../http/request-info.ts';

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly info?: Partial<RequestInfo>;
}

const unread = async (): Promise<Uint8Array> => {
  throw new Error('this request has no body to read');
};

/** Returns the context of a request to `url`. */
export function contextFor(url: string, { method = 'GET', headers = {}, info = {} }: Asked = {}): RequestContext {
  const [path = '', search = ''] = url.split('?');
  const query = new URLSearchParams(search);
  return {
    request: {
      method,
      path,
      search,
      headers,
      connection: { remoteAddress: '192.0.2.1', protocol: 'in-process', clientCertificates: [] },
      signal: new AbortController().signal,
      readBody: unread,
      streamBody: async function* () {},
    },
    info: { ...readRequestInfo(method, decodeURIComponent(path), query), ...info },
    query,
    user: { username: 'somebody', uid: '', groups: [], extra: {} },
    warn: () => {},
    annotate: () => {},
    eventLoop: systemEventLoop,
  };
}

/** Returns the body of a response. Throws when it is a stream. */
export function bytesOf({ body }: { readonly body?: unknown }): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  if (!(body instanceof Uint8Array)) throw new Error('the body is not bytes');
  return Buffer.from(body);
}
