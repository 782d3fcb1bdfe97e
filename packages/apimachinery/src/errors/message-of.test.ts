import { describe, expect, it } from 'vitest';
import { messageOf } from './message-of.ts';

describe('messageOf', () => {
  it.each([
    ['takes the message of an error', new TypeError('not a number'), 'not a number'],
    ['takes a string as it is', 'gone', 'gone'],
    ['prints what else was thrown', undefined, 'undefined'],
  ])('%s', (_, thrown, message) => expect(messageOf(thrown)).toBe(message));
});
