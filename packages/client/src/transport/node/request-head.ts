import type { TransportRequest } from '../transport.ts';
import type { RequestDefaults } from './connection-pool.ts';

const badTarget = /[^\x21-\x7e]/;
const badName = /[^!#$%&'*+\-.^_`|~0-9a-zA-Z]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches the forbidden characters
const badValue = /[\x00-\x08\x0a-\x1f\x7f]/;

/** Returns an HTTP/1.1 request up to its empty line. Throws a TypeError for invalid methods, URLs and headers. */
export function requestHead({ method, url, headers, body }: TransportRequest, defaults: RequestDefaults): string {
  checkRequestLine(method, url);
  let head = `${method} ${defaults.prefix}${url} HTTP/1.1\r\nhost: ${defaults.authority}\r\n`;
  for (const name in defaults.headers) if (!(name in headers)) head += line(name, defaults.headers[name]!);
  for (const name in headers) {
    const value = headers[name]!;
    if (typeof value === 'string') head += line(name, value);
    else for (const one of value) head += line(name, one);
  }
  if (body !== undefined) head += `content-length: ${body.length}\r\n`;
  else if (method !== 'GET' && method !== 'HEAD' && method !== 'DELETE') head += 'content-length: 0\r\n';
  return `${head}\r\n`;
}

function line(name: string, value: string): string {
  checkHeader(name, value);
  return `${name}: ${value}\r\n`;
}

/** Throws a TypeError when the method is invalid or the URL is not percent-encoded. */
export function checkRequestLine(method: string, url: string): void {
  if (badTarget.test(url)) throw new TypeError('a URL must be percent-encoded');
  if (badName.test(method)) throw new TypeError('the method is invalid');
}

/** Throws a TypeError when the name or the value is invalid. */
export function checkHeader(name: string, value: string): void {
  if (badName.test(name)) throw new TypeError('a header has an invalid name');
  // The value may be secret, so it is not in the message.
  if (badValue.test(value)) throw new TypeError(`the header ${name} has an invalid value`);
}
