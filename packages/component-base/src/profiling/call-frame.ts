/** A function as identified by V8's profilers. */
export interface CallFrame {
  /** Empty for anonymous functions and for code outside of functions. */
  readonly functionName: string;
  /** `file:///…/listener.js`, `node:net`; empty for code that is not in a script. */
  readonly url: string;
  /** Where the function begins, counted from 0; -1 for code that is not in a script. */
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/**
 * Returns the function's name, for anonymous functions one made from their location: `go tool pprof` distinguishes
 * functions by name.
 */
export function functionNameOf({ functionName, url, lineNumber, columnNumber }: CallFrame): string {
  if (functionName !== '') return functionName;
  const file = url.slice(url.lastIndexOf('/') + 1);
  return file === '' ? '(anonymous)' : `(anonymous ${file}:${lineNumber + 1}:${columnNumber + 1})`;
}
