/** Whether a character (by code point) is one of a set. */
export type CharacterSet = (code: number) => boolean;

export type Assertion = 'textStart' | 'textEnd' | 'lineStart' | 'lineEnd' | 'wordBoundary' | 'notWordBoundary';

/** A parsed expression. What a match captures is of no interest here, nor which of several it is. */
export type Node =
  | { readonly is: 'characters'; readonly set: CharacterSet }
  | { readonly is: 'assertion'; readonly assertion: Assertion }
  | { readonly is: 'sequence'; readonly nodes: readonly Node[] }
  | { readonly is: 'alternatives'; readonly nodes: readonly Node[] }
  | { readonly is: 'repetition'; readonly node: Node; readonly min: number; readonly max: number };

/** An expression that Go's regexp package does not compile, with the message it gives. */
export class GoRegexpError extends Error {
  constructor(problem: string, where: string) {
    super(`error parsing regexp: ${problem}: \`${where}\``);
  }
}
