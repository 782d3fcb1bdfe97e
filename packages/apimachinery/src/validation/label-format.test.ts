import { describe, expect, it } from 'vitest';
import { isQualifiedName, isValidLabelValue } from './label-format.ts';

const name =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const value =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

describe('isQualifiedName', () => {
  it.each(['a', 'A_1.b-c', 'example.com/a', '1/2', 'a'.repeat(63), `${'a'.repeat(253)}/b`])('accepts %s', (text) => {
    expect(isQualifiedName(text)).toEqual([]);
  });

  it.each<[text: string, messages: string[]]>([
    ['', ['name part must be non-empty', `name part ${name}`]],
    ['a/', ['name part must be non-empty', `name part ${name}`]],
    ['/a', ['prefix part must be non-empty']],
    ['/', ['prefix part must be non-empty', 'name part must be non-empty', `name part ${name}`]],
    ['A_/a', [`prefix part ${subdomain}`]],
    ['-a', [`name part ${name}`]],
    ['a/b/c', [`a valid label key ${name} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]],
    ['a'.repeat(64), ['name part must be no more than 63 bytes']],
    [`${'a'.repeat(254)}/x`, ['prefix part must be no more than 253 bytes']],
  ])('refuses %j', (text, messages) => {
    expect(isQualifiedName(text)).toEqual(messages);
  });
});

describe('isValidLabelValue', () => {
  it.each(['', 'a', 'A_1.b-c', 'a'.repeat(63)])('accepts %j', (text) => {
    expect(isValidLabelValue(text)).toEqual([]);
  });

  it.each<[text: string, messages: string[]]>([
    ['-', [value]],
    ['a b', [value]],
    ['a'.repeat(64), ['must be no more than 63 bytes']],
    ['-'.repeat(64), ['must be no more than 63 bytes', value]],
  ])('refuses %j', (text, messages) => {
    expect(isValidLabelValue(text)).toEqual(messages);
  });
});
