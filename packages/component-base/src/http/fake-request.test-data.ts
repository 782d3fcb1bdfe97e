import type { ApiRequest, RequestHeaders } from './handler.ts';

export interface FakeRequest {
  readonly path?: string;
  readonly headers?: RequestHeaders;
  readonly certificates?: readonly Uint8Array[];
}

/** A request without a socket. */
export const fakeRequest = ({ path = '/', headers = {}, certificates = [] }: FakeRequest = {}): ApiRequest => ({
  method: 'GET',
  path,
  search: '',
  headers,
  connection: { remoteAddress: '192.0.2.1', protocol: 'HTTP/1.1', clientCertificates: certificates },
  signal: new AbortController().signal,
  readBody: async () => new Uint8Array(),
  async *streamBody() {},
});
