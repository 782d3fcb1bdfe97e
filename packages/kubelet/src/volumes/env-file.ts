const whitespaceAtStart = /^[ \t]+/;

/**
 * Returns the value of a variable in a file of variables; empty if there is none. A value is in single quotes and may have several lines.
 * Throws if a line before the variable is invalid.
 */
export function envFileValue(text: string, key: string): string {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  if (lines.at(-1) === '') lines.pop();
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!.replace(whitespaceAtStart, '');
    if (line === '' || line.startsWith('#')) continue;
    const invalid = (why: string, at = i, where = 'at'): Error =>
      new Error(`invalid environment variable format ${where} line ${at + 1}: ${why}`);
    const equals = line.indexOf('=');
    if (equals < 0) throw invalid("missing '='");
    const name = line.slice(0, equals);
    if (name === '') throw invalid('empty variable name');
    if (/[ \t]$/.test(name)) throw invalid("whitespace before '=' is not allowed");
    let rest = line.slice(equals + 1);
    // As in a shell, the value of `NAME= 'value'` is empty.
    if (whitespaceAtStart.test(rest)) {
      if (name === key) return '';
      continue;
    }
    if (!rest.startsWith("'")) throw invalid('value must be enclosed in single quotes');
    rest = rest.slice(1);
    const start = i;
    const value: string[] = [];
    for (;;) {
      const end = rest.indexOf("'");
      if (end >= 0) {
        value.push(rest.slice(0, end));
        const after = rest.slice(end + 1).replace(whitespaceAtStart, '');
        if (after !== '' && !after.startsWith('#')) throw invalid('unexpected content after closing quote', i);
        break;
      }
      value.push(rest);
      const next = lines[++i];
      if (next === undefined) throw invalid('unclosed single quote', start, 'starting at');
      rest = next;
    }
    if (name === key) return value.join('\n');
  }
  return '';
}
