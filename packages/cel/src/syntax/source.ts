/** A position in an expression: line from 1, column from 0, both in code points. */
export interface Location {
  readonly line: number;
  readonly column: number;
}

/** An error in an expression. */
export interface CompileIssue {
  readonly message: string;
  readonly location: Location;
}

/** The location of an error without position. */
export const NO_LOCATION: Location = { line: -1, column: -1 };

const MAX_SNIPPET_BYTES = 16_384;
const MAX_ISSUES = 100;

/** Collects issues: the first hundred are kept, further ones counted. */
export class IssueList {
  readonly #kept: CompileIssue[] = [];
  #total = 0;

  add(issue: CompileIssue): void {
    if (this.#total++ < MAX_ISSUES) this.#kept.push(issue);
  }

  get count(): number {
    return this.#total;
  }

  /** Sorted by position. */
  get sorted(): readonly CompileIssue[] {
    return this.#kept.toSorted((a, b) => a.location.line - b.location.line || a.location.column - b.location.column);
  }
}

/** The text of an expression as code points, and its lines. */
export class Source {
  readonly text: string;
  readonly codePoints: readonly number[];
  readonly #lineStarts: number[] = [0];

  constructor(text: string) {
    this.text = text;
    const codePoints: number[] = [];
    for (const char of text) codePoints.push(char.codePointAt(0) ?? 0);
    this.codePoints = codePoints;
    codePoints.forEach((codePoint, i) => {
      if (codePoint === 10) this.#lineStarts.push(i + 1);
    });
  }

  /** Returns the text between two code point offsets. */
  slice(start: number, end: number): string {
    // Without surrogate pairs, code points are UTF-16 units.
    if (this.codePoints.length === this.text.length) return this.text.slice(start, end);
    return codePointsToString(this.codePoints, start, end);
  }

  location(offset: number): Location {
    let low = 0;
    let high = this.#lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (this.#lineStarts[low] ?? 0) };
  }

  /** Formats issues, each with its source line and a caret below the position. */
  format(issues: IssueList): string {
    const lines = issues.sorted.map((issue) => this.#formatIssue(issue));
    if (issues.count > lines.length) lines.push(`${issues.count - lines.length} more errors were truncated`);
    return lines.join('\n');
  }

  #formatIssue({ message, location }: CompileIssue): string {
    const head = `ERROR: <input>:${location.line}:${location.column + 1}: ${message}`;
    const snippet = this.#line(location.line);
    if (snippet === undefined || Buffer.byteLength(snippet) > MAX_SNIPPET_BYTES) return head;
    const chars = [...snippet.replaceAll('\t', ' ')];
    const wide = (char: string | undefined) => char !== undefined && char > '\x7f';
    const dots = chars.slice(0, Math.max(location.column, 0)).map((char) => (wide(char) ? '．' : '.'));
    const caret = wide(chars[location.column]) ? '＾' : '^';
    return `${head}\n | ${chars.join('')}\n | ${dots.join('')}${caret}`;
  }

  #line(line: number): string | undefined {
    const start = this.#lineStarts[line - 1];
    if (start === undefined || this.text === '') return undefined;
    const end = this.#lineStarts[line];
    return this.slice(start, end === undefined ? this.codePoints.length : end - 1);
  }
}

/** Joins code points; in chunks, because the number of arguments of a call is limited. */
function codePointsToString(codePoints: readonly number[], start = 0, end = codePoints.length): string {
  let out = '';
  for (let i = start; i < end; i += 4096) out += String.fromCodePoint(...codePoints.slice(i, Math.min(i + 4096, end)));
  return out;
}

/** Thrown for an expression that does not compile. The message lists all issues in the format of cel-go. */
export class CelCompileError extends Error {
  /** The first hundred issues found, sorted by position. */
  readonly issues: readonly CompileIssue[];
  constructor(source: Source, issues: IssueList) {
    super(source.format(issues));
    this.name = 'CelCompileError';
    this.issues = issues.sorted;
  }
}
