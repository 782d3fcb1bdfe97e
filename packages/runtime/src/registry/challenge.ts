/** What a server wants in an `Authorization` header. */
export interface Challenge {
  /** In lower case: `bearer`, `basic`. */
  readonly scheme: string;
  /** Names are in lower case. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Parses the headers `WWW-Authenticate`, each of which may have several challenges. What cannot be parsed is left out. */
export function parseChallenges(header: string | undefined): Challenge[] {
  const challenges: { scheme: string; parameters: Record<string, string> }[] = [];
  const text = (header ?? '').slice(0, maxLength);
  // A scheme is a word that no `=` follows; a parameter is a name, `=`, and a word or a quoted string.
  const part = /([!#$%&'*+.^_`|~\w-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?/g;
  for (const [, word = '', quoted, plain] of text.matchAll(part)) {
    const value = quoted !== undefined ? quoted.replace(/\\(.)/g, '$1') : plain;
    if (value === undefined) challenges.push({ scheme: word.toLowerCase(), parameters: {} });
    else {
      const last = challenges.at(-1);
      if (last) last.parameters[word.toLowerCase()] = value;
    }
  }
  return challenges;
}

const maxLength = 16 * 1024;
