/** Returns a doc comment with these lines and a final line break; '' without lines. */
export function docComment(lines: readonly string[], indent = ''): string {
  const text = lines
    .flatMap((line) => line.split(/\r\n|[\n\r\u2028\u2029]/))
    // The text must not end the comment.
    .map((line) => line.trimEnd().replaceAll('*/', '*\\/'));
  while (text.at(-1) === '') text.pop();
  if (text.length === 0) return '';
  if (text.length === 1) return `${indent}/** ${text[0]} */\n`;
  return `${indent}/**\n${text.map((line) => `${indent} *${line && ` ${line}`}\n`).join('')}${indent} */\n`;
}
