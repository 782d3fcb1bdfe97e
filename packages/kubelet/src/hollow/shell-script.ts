/** One command of a script, with the operator before it, which makes it depend on the exit code before. */
export interface ScriptStep {
  readonly after: ';' | '&&' | '||';
  /** A word is undefined if its value is unknown before the script runs, such as `$HOME` if the pod does not set it. */
  readonly words: readonly (string | undefined)[];
}

const variable = String.raw`\$(?:\w+|\{\w+\}|[?$!#@*])`;
const doubleQuoted = String.raw`"(?:[^"$\`\\]|\\.|${variable})*"`;
const piece = String.raw`[^\s;&|<>()$\`"'\\#]|'[^']*'|${doubleQuoted}|\\.|${variable}`;
const tokens = new RegExp(String.raw`(?<blank>[ \t]+)|(?<operator>&&|\|\||[;\n])|(?<word>(?:${piece})+)`, 'sy');

/** Variables by name. */
export type Environment = ReadonlyMap<string, string>;

/**
 * Parses a shell script that is a sequence of commands, separated by `;`, `&&`, `||` or newlines. Returns undefined for any other script:
 * with pipes, redirections, loops, substitutions.
 */
export function parseScript(script: string, env: Environment): ScriptStep[] | undefined {
  const steps: ScriptStep[] = [];
  let after: ScriptStep['after'] = ';';
  let words: (string | undefined)[] = [];
  for (let index = 0; index < script.length; index = tokens.lastIndex) {
    tokens.lastIndex = index;
    const { operator, word } = tokens.exec(script)?.groups ?? {};
    if (tokens.lastIndex === 0) return undefined;
    if (word !== undefined) words.push(unquote(word, env));
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

const named = String.raw`\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})`;
const quoted = new RegExp(String.raw`'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|${named}|\$`, 'gs');
const inDoubleQuotes = new RegExp(String.raw`\\([$\`"\\\n])|${named}|\$`, 'g');
/** Unquoted values that the shell would split into several words or none, or expand to file names. */
const isSplit = /^$|[\s*?[\\]/;

function unquote(word: string, env: Environment): string | undefined {
  let isKnown = true;
  const valued = (name: string | undefined, isQuoted: boolean): string => {
    const value = name === undefined ? undefined : env.get(name);
    if (value === undefined || (!isQuoted && isSplit.test(value))) isKnown = false;
    return value ?? '';
  };
  const text = word.replace(
    quoted,
    (_, single?: string, double?: string, escaped?: string, bare?: string, braced?: string) => {
      if (single !== undefined) return single;
      if (escaped !== undefined) return escaped === '\n' ? '' : escaped;
      if (double === undefined) return valued(bare ?? braced, false);
      return double.replace(inDoubleQuotes, (_all, of?: string, plain?: string, inBraces?: string) => {
        if (of === undefined) return valued(plain ?? inBraces, true);
        return of === '\n' ? '' : of;
      });
    },
  );
  return isKnown ? text : undefined;
}
