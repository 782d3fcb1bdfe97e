import { describe, expect, it } from 'vitest';
import { readQuery, readRequestTarget } from './request-target.ts';

describe('a request target', () => {
  it.each([
    ['/api/v1/pods', { path: '/api/v1/pods', search: '' }],
    ['/api?a=b?c', { path: '/api', search: 'a=b?c' }],
    ['//api', { path: '//api', search: '' }],
    ['http://elsewhere/api?a', { path: '/api', search: 'a' }],
    ['HTTPS://user@elsewhere:443/api', { path: '/api', search: '' }],
    ['http:///version', { path: '/version', search: '' }],
    ['http://elsewhere', { path: '/', search: '' }],
    ['http://elsewhere?a=/b', { path: '/', search: 'a=/b' }],
    ['*', undefined],
    ['', undefined],
    ['api/v1', undefined],
    ['ftp://elsewhere/api', undefined],
    ['\\api', undefined],
  ])('is parsed from %j', (target, expected) => {
    expect(readRequestTarget(target)).toEqual(expected);
  });
});

describe('a query', () => {
  it.each<[string, [string, string][]]>([
    [
      'a=1&a=2&b',
      [
        ['a', '1'],
        ['a', '2'],
        ['b', ''],
      ],
    ],
    ['a=%41+b', [['a', 'A b']]],
    ['a=1;b=2&c=3', [['c', '3']]],
    ['a=%zz&b=%4&c=1', [['c', '1']]],
    ['a=%3B', [['a', ';']]],
    ['?watch=1', [['?watch', '1']]],
    ['w%61tch=1', [['watch', '1']]],
  ])('%s is parsed as by Go', (search, expected) => {
    expect([...readQuery(search)]).toEqual(expected);
  });
});
