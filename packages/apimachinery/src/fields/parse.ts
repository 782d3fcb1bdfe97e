import { unescapeValue } from './escape.ts';
import { type Requirement, Selector, type TransformFunc } from './selector.ts';

/** Parses `metadata.name=a,status.phase!=Running`. Throws an Error with upstream's text. */
export const parse = (text: string): Selector => parseAndTransform(text, (field, value) => [field, value]);

/** Like `parse`, with every requirement rewritten. Also throws the errors of `rewrite`. */
export function parseAndTransform(text: string, rewrite: TransformFunc): Selector {
  const terms = splitTerms(text).sort();
  return Selector.of(terms.map((term) => parseTerm(term, text))).transform(rewrite);
}

/** Splits at commas that are not escaped. */
function splitTerms(text: string): string[] {
  return text.match(/(?:[^\\,]|\\[\s\S]?)+/gu) ?? [];
}

function parseTerm(term: string, text: string): Requirement {
  const match = /!=|==?/.exec(term);
  if (!match) throw new Error(`invalid selector: '${text}'; can't understand '${term}'`);
  return {
    field: term.slice(0, match.index),
    operator: match[0] === '!=' ? '!=' : '=',
    value: unescapeValue(term.slice(match.index + match[0].length)),
  };
}
