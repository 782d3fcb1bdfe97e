/** Whether a character (by code point) is one of a set. */
export type CharacterSet = (code: number) => boolean;

export type Assertion = 'textStart' | 'textEnd' | 'lineStart' | 'lineEnd' | 'wordBoundary' | 'notWordBoundary';

/** A parsed expression. */
export type Node =
  | { readonly is: 'characters'; readonly set: CharacterSet }
  | { readonly is: 'assertion'; readonly assertion: Assertion }
  | { readonly is: 'sequence'; readonly nodes: readonly Node[] }
  | { readonly is: 'alternatives'; readonly nodes: readonly Node[] }
  | { readonly is: 'capture'; readonly node: Node; readonly index: number }
  | {
      readonly is: 'repetition';
      readonly node: Node;
      readonly min: number;
      readonly max: number;
      /** Prefers as many repetitions as possible; otherwise as few as possible. */
      readonly greedy: boolean;
    };

/** Thrown for an expression that Go's regexp package does not compile, with Go's message. */
export class GoRegexpError extends Error {
  constructor(problem: string, where: string) {
    super(`error parsing regexp: ${problem}: \`${where}\``);
  }
}
