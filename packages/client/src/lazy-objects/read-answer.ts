import { fewestLazyBytes, findParts, isBuiltIn, readLazily } from './object-layout.ts';

const decoder = new TextDecoder();
const head = /^\{"kind":"(\w+)","apiVersion":"([\w./]+)","metadata":/;
/** Longer than the head of any built-in kind. */
const longestHead = 160;
const [brace, newline] = new TextEncoder().encode('}\n');

/**
 * Returns the object in the response to a create, update, patch or delete as a lazy object: most callers ignore it,
 * because they receive the change by a watch. Returns undefined if the text does not have the required layout
 * (`readLazily`).
 */
export function readAnswer(bytes: Uint8Array): object | undefined {
  if (bytes.length < fewestLazyBytes) return undefined;
  const found = head.exec(decoder.decode(bytes.subarray(0, longestHead)));
  const [text, kind, apiVersion] = found ?? [];
  if (text === undefined || kind === undefined || apiVersion === undefined || !isBuiltIn(apiVersion)) return undefined;
  const end = bytes.length - (bytes.at(-1) === newline ? 2 : 1);
  const parts = bytes[end] === brace ? findParts(bytes, text.length) : undefined;
  return parts && readLazily(bytes.subarray(0, end), { kind, apiVersion }, text.length, parts);
}
