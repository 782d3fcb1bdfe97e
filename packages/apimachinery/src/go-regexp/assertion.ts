import { isWord } from './named-class.ts';
import type { Assertion } from './syntax.ts';

/** The code of the position before the first and after the last character. */
export const none = -1;

/** Whether an assertion holds between two characters. */
export function holds(assertion: Assertion, previous: number, next: number): boolean {
  switch (assertion) {
    case 'textStart':
      return previous === none;
    case 'textEnd':
      return next === none;
    case 'lineStart':
      return previous === none || previous === 10;
    case 'lineEnd':
      return next === none || next === 10;
    default:
      return (isWord(previous) !== isWord(next)) === (assertion === 'wordBoundary');
  }
}
