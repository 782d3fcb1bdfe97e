import { describe, expect, it } from 'vitest';
import { httpTarget } from './http-target.ts';

/** Paths of an HTTPGetAction: the URL in messages, and what is asked for. */
const cases: Record<string, [string, string, string?]> = {
  'the root': ['/', 'http://h:80/', '/'],
  'an empty path': ['', 'http://h:80', '/'],
  'a path without a slash': ['healthz', 'http://h:80/healthz', '/healthz'],
  'a blank': ['/a b', 'http://h:80/a%20b', '/a%20b'],
  'an escape': ['/a%2Fb', 'http://h:80/a%2Fb', '/a%2Fb'],
  'an escape and a blank': ['/a%2F b', 'http://h:80/a/%20b', '/a/%20b'],
  'an escape of a byte': ['/%e4', 'http://h:80/%e4', '/%e4'],
  'a bad escape': ['/a%zz?x', 'http://h:80/a%25zz%3Fx', '/a%25zz%3Fx'],
  'a control character': ['/a\x01b', 'http://h:80/a%01b', '/a%01b'],
  'a query and a fragment': ['/a?x=1&y=/?z#f', 'http://h:80/a?x=1&y=/?z#f', '/a?x=1&y=/?z'],
  'a query alone': ['?x=1', 'http://h:80?x=1', '/?x=1'],
  'a query with a blank': ['/a?x=1 2', 'http://h:80/a?x=1 2', '/a?x=1%202'],
  'another host': ['//foo/bar', 'http://h:80/bar', '/bar'],
  'a whole URL': ['https://x:1/y?z', 'http://h:80/y?z', '/y?z'],
  'letters beyond ASCII': ['/ü', 'http://h:80/%C3%BC', '/%C3%BC'],
  brackets: ['/[x]', 'http://h:80/[x]', '/[x]'],
  'signs that need no escape': ["/a'b(c)*!;b,c=d@e$f&g+h", "http://h:80/a'b(c)*!;b,c=d@e$f&g+h"],
  'signs that need an escape': ['/a|"b', 'http://h:80/a%7C%22b', '/a%7C%22b'],
};

describe('the URL of an HTTP handler', () => {
  it.each(Object.entries(cases))('with %s', (_, [path, text, requestTarget = path]) => {
    expect(httpTarget('http', 'h', 80, path)).toMatchObject({ text, requestTarget });
  });

  it('puts addresses of IPv6 in brackets', () => {
    expect(httpTarget('https', 'fd00::1', 443, '/')).toMatchObject({
      host: '[fd00::1]:443',
      text: 'https://[fd00::1]:443/',
    });
  });

  it.each<[string, string]>([
    ['bad host', ' '],
    ['a/b', '/'],
    ['a\r\nb', '\\r'],
  ])('refuses the host %j', (host, character) => {
    expect(() => httpTarget('http', host, 80, '/')).toThrow(`invalid character "${character}" in host name`);
  });
});
