import { describe, expect, it } from 'vitest';
import { messageOf } from './message-of.ts';

describe('messageOf', () => {
  it.each([
    ['is the message of an error', new TypeError('not a number'), 'not a number'],
    ['is a string itself', 'gone', 'gone'],
    ['is the text of any other value', undefined, 'undefined'],
  ])('%s', (_, thrown, message) => expect(messageOf(thrown)).toBe(message));
});
