/** One command of a script, and whether it waits for the success or the failure of what came before. */
export interface ScriptStep {
  readonly after: ';' | '&&' | '||';
  /** Undefined for a word that is only known when it runs: `$HOME`. */
  readonly words: readonly (string | undefined)[];
}

const variable = String.raw`\$(?:\w+|\{\w+\}|[?$!#@*])`;
const doubleQuoted = String.raw`"(?:[^"$\`\\]|\\.|${variable})*"`;
const piece = String.raw`[^\s;&|<>()$\`"'\\#]|'[^']*'|${doubleQuoted}|\\.|${variable}`;
const tokens = new RegExp(String.raw`(?<blank>[ \t]+)|(?<operator>&&|\|\||[;\n])|(?<word>(?:${piece})+)`, 'sy');

/**
 * A shell's script that is no more than commands one after the other, with `;`, `&&`, `||` or lines in between. Undefined for
 * any other: pipes, redirections, loops, substitutions.
 */
export function parseScript(script: string): ScriptStep[] | undefined {
  const steps: ScriptStep[] = [];
  let after: ScriptStep['after'] = ';';
  let words: (string | undefined)[] = [];
  for (let index = 0; index < script.length; index = tokens.lastIndex) {
    tokens.lastIndex = index;
    const { operator, word } = tokens.exec(script)?.groups ?? {};
    if (tokens.lastIndex === 0) return undefined;
    if (word !== undefined) words.push(unquote(word));
    if (operator === undefined || (operator === '\n' && words.length === 0)) continue;
    if (words.length === 0) return undefined;
    steps.push({ after, words });
    words = [];
    after = operator === '&&' || operator === '||' ? operator : ';';
  }
  if (words.length > 0) steps.push({ after, words });
  else if (after !== ';') return undefined;
  return steps;
}

const quoted = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|\$/gs;

function unquote(word: string): string | undefined {
  let isKnown = true;
  const text = word.replace(quoted, (_, single?: string, double?: string, escaped?: string) => {
    if (single !== undefined) return single;
    if (escaped !== undefined) return escaped === '\n' ? '' : escaped;
    if (double === undefined) isKnown = false;
    return (double ?? '').replace(/\\([$`"\\\n])|\$/g, (_all, of?: string) => {
      if (of === undefined) isKnown = false;
      return of === undefined || of === '\n' ? '' : of;
    });
  });
  return isKnown ? text : undefined;
}
