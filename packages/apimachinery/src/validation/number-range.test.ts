import { describe, expect, it } from 'vitest';
import { isInRange, isValidGroupId, isValidPortName, isValidPortNum, isValidUserId } from './number-range.ts';

describe('numbers', () => {
  it('are checked against their range', () => {
    expect([isValidPortNum(1), isValidPortNum(65535), isInRange(5, 5, 5), isValidUserId(0)].flat()).toEqual([]);
    expect([isValidGroupId(2147483647), isValidGroupId(2147483647n)].flat()).toEqual([]);
    expect(isValidPortNum(0)).toEqual(['must be between 1 and 65535, inclusive']);
    expect(isValidPortNum(65536)).toEqual(['must be between 1 and 65535, inclusive']);
    expect(isValidUserId(-1)).toEqual(['must be between 0 and 2147483647, inclusive']);
    expect(isValidGroupId(2n ** 62n)).toEqual(['must be between 0 and 2147483647, inclusive']);
    expect(isInRange(6, -5, 5)).toEqual(['must be between -5 and 5, inclusive']);
  });
});

describe('isValidPortName', () => {
  const characters = 'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)';
  const letter = 'must contain at least one letter (a-z)';
  const hyphen = 'must not begin or end with a hyphen';
  it.each<[name: string, messages: string[]]>([
    ['http', []],
    ['1-a-2', []],
    ['a'.repeat(15), []],
    ['', [characters, letter]],
    ['1', [letter]],
    ['a'.repeat(16), ['must be no more than 15 characters']],
    ['a--B-', [characters, 'must not contain consecutive hyphens', hyphen]],
    ['-', [letter, hyphen]],
  ])('%j', (name, messages) => {
    expect(isValidPortName(name)).toEqual(messages);
  });
});
