import { describe, expect, it } from 'vitest';
import { maskTrailingDash, nameIsDns1035Label, nameIsDnsLabel, nameIsDnsSubdomain, pathSegmentName } from './name.ts';

describe('names', () => {
  it('may end in a dash only when a suffix will follow', () => {
    for (const check of [nameIsDnsSubdomain, nameIsDnsLabel, nameIsDns1035Label]) {
      expect(check('web-', true)).toEqual([]);
      expect(check('web-', false)).toHaveLength(1);
      expect(check('web', false)).toEqual([]);
    }
    expect(nameIsDnsLabel('-', true)).toHaveLength(1);
  });

  it('lose the dash and the character before it', () => {
    expect(['ab-', 'a--', '--', '-', 'ab', ''].map(maskTrailingDash)).toEqual(['aa', 'aa', 'a', '-', 'ab', '']);
    expect(nameIsDnsLabel('aé-', true)).toHaveLength(1);
  });

  it('can be path segments', () => {
    expect(pathSegmentName('system:node', false)).toEqual([]);
    expect(pathSegmentName('.', false)).toEqual(["may not be '.'"]);
    expect(pathSegmentName('..', false)).toEqual(["may not be '..'"]);
    expect(pathSegmentName('..', true)).toEqual([]);
    expect(pathSegmentName('a%b/c', true)).toEqual(["may not contain '/'", "may not contain '%'"]);
  });
});
