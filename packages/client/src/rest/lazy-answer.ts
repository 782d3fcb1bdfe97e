import { fewestLazyBytes, findParts, isBuiltIn, readLazily } from '../watch/lazy-reading.ts';

const decoder = new TextDecoder();
const head = /^\{"kind":"(\w+)","apiVersion":"([\w./]+)","metadata":/;
/** The head of a built-in kind is not longer. */
const longestHead = 160;
const [brace, newline] = new TextEncoder().encode('}\n');

/**
 * The object that a write brought about, read when somebody looks at it: most callers do not, they hear of it by a watch. Undefined for
 * whatever is not of the form in which that can be done; see `readLazily`.
 */
export function lazyAnswer(bytes: Uint8Array): object | undefined {
  if (bytes.length < fewestLazyBytes) return undefined;
  const found = head.exec(decoder.decode(bytes.subarray(0, longestHead)));
  const [text, kind, apiVersion] = found ?? [];
  if (text === undefined || kind === undefined || apiVersion === undefined || !isBuiltIn(apiVersion)) return undefined;
  const end = bytes.length - (bytes.at(-1) === newline ? 2 : 1);
  const parts = bytes[end] === brace ? findParts(bytes, text.length) : undefined;
  return parts && readLazily(bytes.subarray(0, end), { kind, apiVersion }, text.length, parts);
}
