/** A function as V8's profilers name it. */
export interface CallFrame {
  /** Empty for a function without a name, and for what is outside of all functions. */
  readonly functionName: string;
  /** `file:///…/listener.js`, `node:net`; empty for what is no script. */
  readonly url: string;
  /** Where the function begins, from 0; -1 for what is no script. */
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/** Functions without a name get one of the place where they stand: `go tool pprof` tells functions apart by name. */
export function functionNameOf({ functionName, url, lineNumber, columnNumber }: CallFrame): string {
  if (functionName !== '') return functionName;
  const file = url.slice(url.lastIndexOf('/') + 1);
  return file === '' ? '(anonymous)' : `(anonymous ${file}:${lineNumber + 1}:${columnNumber + 1})`;
}
