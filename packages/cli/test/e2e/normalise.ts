type Rule = readonly [pattern: RegExp, replacement: string];

/** Output that differs between runs, with its replacement. */
const rules: readonly Rule[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<uid>'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, '<time>'],
  [/\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, '<time>'],
  [/\b[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d \d{4}\b/g, '<time>'],
  [/\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? [+-]\d{4} [A-Z]{3}/g, '<time>'],
  [/\bmodifiedAt=\d+/g, 'modifiedAt=<time>'],
  [/(resourceVersion\\*"?: ?\\*"|Resource Version: +)\d+/g, '$1<version>'],
  [/\b127\.0\.0\.1:\d+/g, '<server>'],
  [/\b10\.96\.\d+\.\d+\b/g, '<cluster IP>'],
  [/(:|[nN]odePort"?: )3[012]\d{3}\b/g, '$1<node port>'],
  [/\b[WEI]\d{4} [\d:.]+ +\d+ (?=\w+\.go:)/g, '<log> '],
  // client-go logs a watch that it cancelled itself when it notices the end of the response first.
  [/^<log> reflector\.go:\d+\] "Warning: watch ended with error".*: context canceled.*\n/gm, ''],
  // Ages in tables and descriptions: a column of their own, usually the last.
  [/(?<= {2}|\()(\d+[smhdy]){1,2}(?= {2}| ago|$)/gm, '<age>'],
  [/(?<=\S) {3,}/g, '   '],
  [/ +(?=\t)/g, ''],
  [/[ \t]+$/gm, ''],
];

/** Returns the output with everything replaced that differs between runs, including the width of columns. */
export function normalise(output: string): string {
  let text = output;
  for (const [pattern, replacement] of rules) {
    text = text.replace(pattern, replacement);
  }
  return text.trimEnd();
}
