import { describe, expect, it } from 'vitest';
import {
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isDns1123SubdomainCaseless,
  isDns1123SubdomainWithUnderscore,
  isWildcardDns1123Subdomain,
} from './dns.ts';
import type { StringCheck } from './string-format.ts';

const checks = {
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isDns1123SubdomainCaseless,
  isDns1123SubdomainWithUnderscore,
  isWildcardDns1123Subdomain,
} satisfies Record<string, StringCheck>;

const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const caseless =
  "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'Example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const underscore =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";
const label1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const wildcard =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

describe('DNS names', () => {
  it.each<[check: keyof typeof checks, values: string[]]>([
    ['isDns1123Label', ['a', '0', '1-a', 'a--1--2--b', 'a'.repeat(63)]],
    ['isDns1123Subdomain', ['a', 'a.b', '1.2.3.4', 'a--1.b', `${'a.'.repeat(126)}a`, 'a'.repeat(253)]],
    ['isDns1123SubdomainCaseless', ['Example.COM', 'a.b']],
    ['isDns1123SubdomainWithUnderscore', ['_a', 'a_b', 'a._b.c', '_a__b-c']],
    ['isDns1035Label', ['a', 'a1', 'a-1', 'a'.repeat(63)]],
    ['isWildcardDns1123Subdomain', ['*.a', '*.example.com']],
  ])('%s accepts %j', (check, values) => {
    for (const value of values) expect(checks[check](value), value).toEqual([]);
  });

  it.each<[check: keyof typeof checks, value: string, messages: string[]]>([
    ['isDns1123Label', '', [label]],
    ['isDns1123Label', 'A', [label]],
    ['isDns1123Label', 'a\n', [label]],
    ['isDns1123Label', 'a.b', ['must not contain dots']],
    ['isDns1123Label', 'a.b-', [label]],
    ['isDns1123Label', 'a'.repeat(64), ['must be no more than 63 characters']],
    ['isDns1123Label', 'é'.repeat(32), ['must be no more than 63 characters', label]],
    ['isDns1123Subdomain', '', [subdomain]],
    ['isDns1123Subdomain', 'a..b', [subdomain]],
    ['isDns1123Subdomain', 'a-.b', [subdomain]],
    ['isDns1123Subdomain', 'a.-b', [subdomain]],
    ['isDns1123Subdomain', 'a.', [subdomain]],
    ['isDns1123Subdomain', 'a_b', [subdomain]],
    ['isDns1123Subdomain', 'a'.repeat(254), ['must be no more than 253 characters']],
    ['isDns1123Subdomain', 'a.'.repeat(127), ['must be no more than 253 characters', subdomain]],
    ['isDns1123SubdomainCaseless', 'a_b', [caseless]],
    ['isDns1123SubdomainCaseless', 'a'.repeat(254), ['must be no more than 253 bytes']],
    ['isDns1123SubdomainWithUnderscore', '__a', [underscore]],
    ['isDns1123SubdomainWithUnderscore', 'a_', [underscore]],
    ['isDns1123SubdomainWithUnderscore', 'a-._b', [underscore]],
    ['isDns1035Label', '1a', [label1035]],
    ['isWildcardDns1123Subdomain', 'example.com', [wildcard]],
    ['isWildcardDns1123Subdomain', '*.A', [wildcard]],
    ['isWildcardDns1123Subdomain', '*.', [wildcard]],
  ])('%s refuses %j', (check, value, messages) => {
    expect(checks[check](value)).toEqual(messages);
  });

  it('checks a text of a megabyte', () => {
    expect(isDns1123Subdomain(`${'a.'.repeat(500_000)}a`)).toEqual(['must be no more than 253 characters']);
    expect(isDns1123Label(`a${'-'.repeat(1_000_000)}`)).toEqual(['must be no more than 63 characters', label]);
  });
});
