import type { TransportRequest } from '../../transport.ts';
import type { RequestDefaults } from '../connection-pool.ts';
import { checkHeader, checkRequestLine } from '../request-head.ts';
import type { HpackEncoder } from './hpack-encoder.ts';
import { headersOfConnections } from './response-head.ts';

/**
 * Encodes the head of a request; the result is valid until the encoder is used again. Throws a TypeError for invalid
 * methods, URLs and headers, before anything is encoded.
 */
export function requestHeaders(
  { method, url, headers, body }: TransportRequest,
  { prefix, authority, headers: defaults }: RequestDefaults,
  encoder: HpackEncoder,
): Buffer {
  checkRequestLine(method, url);
  for (const name in headers) {
    if (headersOfConnections.has(name)) throw new TypeError(`the header ${name} cannot be sent over HTTP/2`);
    const value = headers[name]!;
    if (typeof value !== 'string') for (const one of value) checkHeader(name, one);
    // Fields that were sent before were validated then.
    else if (!encoder.knows(name, value)) checkHeader(name, value);
  }
  encoder.begin();
  encoder.add(':method', method);
  encoder.add(':scheme', 'https');
  encoder.add(':authority', authority);
  encoder.add(':path', prefix + url);
  for (const name in defaults) if (!(name in headers)) encoder.add(name, defaults[name]!);
  for (const name in headers) {
    const value = headers[name]!;
    // Percent-encoded characters in names of extra attributes have capitals.
    const lower = name.toLowerCase();
    if (typeof value === 'string') encoder.add(lower, value);
    else for (const one of value) encoder.add(lower, one);
  }
  if (body !== undefined) encoder.add('content-length', String(body.length));
  return encoder.end();
}
