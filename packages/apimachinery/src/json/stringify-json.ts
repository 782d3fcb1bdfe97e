import { JsonDepthError, MAX_JSON_DEPTH } from './depth.ts';

export interface StringifyOptions {
  /** Indents by two spaces, as upstream does for human readers. */
  readonly pretty?: boolean;
  /** Escapes `<`, `>` and `&`, as Go does by default. On by default. */
  readonly escapeHtml?: boolean;
}

/**
 * Prints JSON as Go's encoder does: on one line, with `<`, `>` and `&` escaped. Bigints are printed as numbers. Throws JsonDepthError for
 * a value that is nested too deeply or contains itself.
 */
export function stringifyJson(value: unknown, { pretty = false, escapeHtml = true }: StringifyOptions = {}): string {
  let text: string;
  try {
    text = JSON.stringify(value, undefined, pretty ? 2 : undefined) ?? 'null';
  } catch {
    // The value contains a bigint, or is nested too deeply.
    text = writeValue(value, pretty ? '\n' : undefined, 0);
  }
  return escapeHtml ? escapeForHtml(text) : text;
}

/** Prints JSON of any value that client code may put into a body. Bigints are printed as numbers; `<`, `>` and `&` are not escaped. */
export const writeJson = (value: unknown): string => stringifyJson(value, { escapeHtml: false });

/** Like JSON.stringify, with support for bigints. `lineBreak` includes the indentation; it is undefined for text on one line. */
function writeValue(value: unknown, lineBreak: string | undefined, depth: number): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if ('toJSON' in value && typeof value.toJSON === 'function') return writeValue(value.toJSON(), lineBreak, depth + 1);
  if (depth >= MAX_JSON_DEPTH) throw new JsonDepthError();
  const inner = lineBreak && `${lineBreak}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => writeValue(item, inner, depth + 1))
    : Object.entries(value)
        .filter(([, child]) => !isLeftOut(child))
        .map(([key, child]) => `${JSON.stringify(key)}:${inner ? ' ' : ''}${writeValue(child, inner, depth + 1)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (parts.length === 0) return `${open}${close}`;
  return `${open}${inner ?? ''}${parts.join(`,${inner ?? ''}`)}${lineBreak ?? ''}${close}`;
}

/** Whether JSON.stringify leaves out members with this value. */
const isLeftOut = (value: unknown): boolean =>
  value === undefined || typeof value === 'function' || typeof value === 'symbol';

/** Escapes characters for HTML. Five searches for one character are far cheaper than one for any of five. */
function escapeForHtml(text: string): string {
  const clean =
    !text.includes('<') &&
    !text.includes('>') &&
    !text.includes('&') &&
    !text.includes('\u2028') &&
    !text.includes('\u2029');
  if (clean) return text;
  return text.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
