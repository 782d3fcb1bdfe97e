const reserved: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

const escapes: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

const unescapes: ReadonlyMap<string, string> = new Map([
  ...Object.entries(escapes).map(([plain, escaped]) => [escaped, plain] as const),
  ...[...reserved].map((word) => [`__${word}__`, word] as const),
]);

/** Whether CEL reserves the word. After a dot it may still name a field. */
export const isReservedWord = (word: string): boolean => reserved.has(word);

/** The name of a field in CEL expressions; undefined when expressions cannot name it. */
export function escapeFieldName(name: string): string | undefined {
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined;
  return reserved.has(name) ? `__${name}__` : name.replace(/__|[-./]/g, (found) => escapes[found]!);
}

/** The field of a name in CEL expressions; undefined when the name is not a valid escaped name. */
export function unescapeFieldName(name: string): string | undefined {
  let isValid = true;
  const plain = name.replace(/__[^_]+__/g, (found) => {
    const meant = unescapes.get(found);
    // A reserved word is escaped only as the whole name.
    if (meant === undefined || (reserved.has(meant) && found !== name)) isValid = false;
    return meant ?? '';
  });
  return isValid ? plain : undefined;
}
