import { describe, expect, it } from 'vitest';
import { encodePath, rewriteLink } from './link.ts';

const prefix = '/api/v1/namespaces/ns/services/svc:80/proxy';
const origin = { serverHost: '192.0.2.2:10951', requestHost: '127.0.0.1:16443', prefix };

describe('rewriteLink', () => {
  it.each([
    ['/login?x=1#f', `${prefix}/login?x=1#f`],
    ['/', `${prefix}/`],
    ['/dir/', `${prefix}/dir/`],
    ['/p%2Fq/é', `${prefix}/p/q/%C3%A9`],
    ['/a b', `${prefix}/a%20b`],
    ["/x!y'(z)*?q=!", `${prefix}/x%21y%27%28z%29%2A?q=!`],
    ['http://192.0.2.2:10951/x', `${prefix}/x`],
    ['//192.0.2.2:10951/x', `${prefix}/x`],
    ['http:///x', `${prefix}/x`],
    ['https://127.0.0.1:16443/x', `https://127.0.0.1:16443${prefix}/x`],
    [`https://127.0.0.1:16443${prefix}/x`, `https://127.0.0.1:16443${prefix}/x`],
    [`http://192.0.2.2:10951${prefix}/x`, `${prefix}/x`],
    ['/../up/./x', `${prefix}/up/x`],
  ])('rewrites %s', (link, expected) => {
    expect(rewriteLink(link, origin)).toBe(expected);
  });

  it.each([
    '',
    'login',
    '../login',
    '?q=1',
    '#top',
    'http://other/x',
    '//other/x',
    'http://192.0.2.2:10951',
    'mailto:x@y',
    'javascript:/x',
    `${prefix}/q`,
    'a%zz',
  ])('does not change %j', (link) => {
    expect(rewriteLink(link, origin)).toBe(link);
  });

  it.each([
    ['/a b%zz', 'parse "/a b%zz": invalid URL escape "%zz"'],
    ['/%', 'parse "/%": invalid URL escape "%"'],
    [':bad', 'parse ":bad": missing protocol scheme'],
    ['1:2', 'parse "1:2": first path segment in URL cannot contain colon'],
    ['/\x01', 'parse "/\\x01": net/url: invalid control character in URL'],
  ])('throws for %j', (link, message) => {
    expect(() => rewriteLink(link, origin)).toThrow(new Error(message));
  });
});

describe('encodePath', () => {
  it('escapes the same characters as Go', () => {
    expect(encodePath('/a[b]|\\^`{}"<> ~;,&=+$@:!\'()*?#%')).toBe(
      '/a%5Bb%5D%7C%5C%5E%60%7B%7D%22%3C%3E%20~;,&=+$@:%21%27%28%29%2A%3F%23%25',
    );
  });
});
