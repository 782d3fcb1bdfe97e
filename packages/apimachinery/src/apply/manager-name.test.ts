import { describe, expect, it } from 'vitest';
import { managerOrUserAgent } from './manager-name.ts';

describe('the manager of a write', () => {
  const cases: Record<string, [manager: string, userAgent: string, name: string]> = {
    'is the one the write names': ['m', 'kubectl/v1', 'm'],
    'is the user agent up to the slash': ['', 'kubectl/v1.36 (linux/amd64)', 'kubectl'],
    'is the whole user agent when it has no slash': ['', 'curl', 'curl'],
    'has only printable characters': ['', '\u0000a\tb\u200bc é/1', 'abc é'],
    'has at most 128 bytes': ['', `${'a'.repeat(127)}éb`, 'a'.repeat(127)],
    'may be empty': ['', '', ''],
  };
  it.each(Object.entries(cases))('%s', (_, [manager, userAgent, name]) => {
    expect(managerOrUserAgent(manager, userAgent)).toBe(name);
  });
});
