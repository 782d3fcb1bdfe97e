import { describe, expect, it } from 'vitest';
import { parseWarnings } from './warnings.ts';

describe('parseWarnings', () => {
  const cases: Record<string, { headers: string | string[] | undefined; texts: string[] }> = {
    'none without a header': { headers: undefined, texts: [] },
    one: { headers: '299 - "a"', texts: ['a'] },
    'several in a header': { headers: '299 - "a", 299 - "b" , 299 - "c"', texts: ['a', 'b', 'c'] },
    'several headers': { headers: ['299 - "a"', '299 - "b"'], texts: ['a', 'b'] },
    escapes: {
      headers: String.raw`299 - "a \"quoted\" \\ text, with a comma"`,
      texts: [String.raw`a "quoted" \ text, with a comma`],
    },
    'a date, which is ignored': {
      headers: '299 - "a" "Wed, 21 Oct 2015 07:28:00 GMT", 299 - "b"',
      texts: ['a', 'b'],
    },
    'non-ASCII characters': { headers: '299 - "größer ✓"', texts: ['größer ✓'] },
    'nothing after a malformed one': { headers: '299 - "a", nonsense, 299 - "b"', texts: ['a'] },
    'nothing from an unterminated one': { headers: '299 - "a', texts: [] },
    'nothing from one without an agent': { headers: '299 "a"', texts: [] },
    'nothing with a control character': { headers: '299 - "a\u0007"', texts: [] },
    'nothing with an invalid code': { headers: '29 - "a"', texts: [] },
  };
  it.each(Object.entries(cases))('%s', (_, { headers, texts }) => {
    expect(parseWarnings(headers).map(({ text }) => text)).toEqual(texts);
  });

  it('returns code and agent', () => {
    expect(parseWarnings('199 host:80 "x"')).toEqual([{ code: 199, agent: 'host:80', text: 'x' }]);
  });
});
