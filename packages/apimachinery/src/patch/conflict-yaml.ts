import { Document, parse, visit } from 'yaml';
import { compareStrings, type JsonObject } from '../json/go-value.ts';

/** Formats a patch for the conflict message: YAML with sorted keys and lists that are not indented. */
export function conflictYaml(patch: JsonObject): string {
  const document = new Document(patch, {
    version: '1.1',
    sortMapEntries: (a, b) => compareStrings(String(a.key), String(b.key)),
  });
  visit(document, {
    Scalar(_, node) {
      // Strings that would be read as another type get double quotes; all others that need quotes get single ones.
      if (typeof node.value === 'string' && readsAsOther(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString({ indentSeq: false, singleQuote: true });
}

function readsAsOther(text: string): boolean {
  try {
    const value: unknown = parse(text, { version: '1.1' });
    // A text with nothing but a comment is read as null, too.
    if (value === null) return !text.startsWith('#');
    return typeof value === 'number' || typeof value === 'boolean' || value instanceof Date;
  } catch {
    return false;
  }
}
