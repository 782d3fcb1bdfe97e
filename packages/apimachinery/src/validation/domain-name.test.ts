import { describe, expect, it } from 'vitest';
import { Path } from '../field/index.ts';
import {
  isDomainPrefixedKey,
  isDomainPrefixedPath,
  isFullyQualifiedDomainName,
  isFullyQualifiedName,
} from './domain-name.ts';

const checks = { isDomainPrefixedKey, isDomainPrefixedPath, isFullyQualifiedDomainName, isFullyQualifiedName };
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

describe('domain names', () => {
  it.each<[check: keyof typeof checks, value: string, errors: string[]]>([
    ['isFullyQualifiedName', 'a.b.c', []],
    ['isFullyQualifiedName', '', ['f: Required value']],
    ['isFullyQualifiedName', 'A', [`f: Invalid value: "A": ${subdomain}`]],
    [
      'isFullyQualifiedName',
      'a.b',
      ['f: Invalid value: "a.b": should be a domain with at least three segments separated by dots'],
    ],
    ['isFullyQualifiedDomainName', 'a.b', []],
    ['isFullyQualifiedDomainName', 'a.b.', []],
    ['isFullyQualifiedDomainName', '', ['f: Required value']],
    ['isFullyQualifiedDomainName', '.', [`f: Invalid value: "": ${subdomain}`]],
    [
      'isFullyQualifiedDomainName',
      'a',
      ['f: Invalid value: "a": should be a domain with at least two segments separated by dots'],
    ],
    [
      'isFullyQualifiedDomainName',
      `${'a'.repeat(64)}.b`,
      [`f: Invalid value: "${'a'.repeat(64)}": must be no more than 63 characters`],
    ],
    ['isDomainPrefixedPath', 'acme.io/foo/bar', []],
    ['isDomainPrefixedPath', '', ['f: Required value']],
    ['isDomainPrefixedPath', 'a', ['f: Invalid value: "a": must be a domain-prefixed path (such as "acme.io/foo")']],
    ['isDomainPrefixedPath', '/a', ['f: Invalid value: "/a": must be a domain-prefixed path (such as "acme.io/foo")']],
    ['isDomainPrefixedPath', 'a/', ['f: Invalid value: "a/": must be a domain-prefixed path (such as "acme.io/foo")']],
    [
      'isDomainPrefixedPath',
      'A/b c',
      [
        `f: Invalid value: "A": ${subdomain}`,
        "f: Invalid value: \"b c\": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')",
      ],
    ],
    ['isDomainPrefixedKey', 'acme.io/foo', []],
    ['isDomainPrefixedKey', '', ['f: Required value']],
    ['isDomainPrefixedKey', 'a', ['f: Invalid value: "a": must be a domain-prefixed key (such as "acme.io/foo")']],
    ['isDomainPrefixedKey', '/a', ['f: Invalid value: "/a": prefix part must be non-empty']],
  ])('%s %j', (check, value, errors) => {
    expect(checks[check](Path.of('f'), value).map(String)).toEqual(errors);
  });
});
