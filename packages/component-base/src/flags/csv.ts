/**
 * Parses comma-separated values. Records may differ in length, fields may be quoted with doubled quotes inside, and
 * empty lines are skipped. Throws an Error with the message of Go's encoding/csv.
 */
export function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  const reader = new CsvReader(text);
  for (let record = reader.next(); record; record = reader.next()) records.push(record);
  return records;
}

class CsvReader {
  readonly #text: string;
  #at = 0;
  #line = 1;
  #lineStart = 0;

  constructor(text: string) {
    this.#text = text.replaceAll('\r\n', '\n').replace(/\r$/, '');
  }

  next(): string[] | undefined {
    while (this.#text[this.#at] === '\n') this.#endLine();
    if (this.#at >= this.#text.length) return undefined;
    const firstLine = this.#line;
    const record: string[] = [];
    for (;;) {
      record.push(this.#text[this.#at] === '"' ? this.#quoted(firstLine) : this.#bare(firstLine));
      if (this.#text[this.#at] !== ',') break;
      this.#at++;
    }
    if (this.#at < this.#text.length) this.#endLine();
    return record;
  }

  #endLine(): void {
    this.#at++;
    this.#line++;
    this.#lineStart = this.#at;
  }

  #bare(firstLine: number): string {
    const start = this.#at;
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at];
      if (character === ',' || character === '\n') break;
      if (character === '"') throw this.#error(firstLine, this.#at, 'bare " in non-quoted-field');
    }
    return this.#text.slice(start, this.#at);
  }

  #quoted(firstLine: number): string {
    let field = '';
    for (let from = this.#at + 1; ; ) {
      const close = this.#text.indexOf('"', from);
      const part = this.#text.slice(from, close < 0 ? undefined : close);
      field += part;
      for (let newline = part.indexOf('\n'); newline >= 0; newline = part.indexOf('\n', newline + 1)) {
        // A newline at the very end of the text does not begin a line.
        if (from + newline + 1 >= this.#text.length) break;
        this.#line++;
        this.#lineStart = from + newline + 1;
      }
      if (close < 0) throw this.#error(firstLine, this.#text.length, 'extraneous or missing " in quoted-field');
      this.#at = close + 1;
      const next = this.#text[this.#at];
      if (next === undefined || next === ',' || next === '\n') return field;
      if (next !== '"') throw this.#error(firstLine, close, 'extraneous or missing " in quoted-field');
      field += '"';
      from = this.#at + 1;
    }
  }

  /** Columns are counted in bytes, from one. */
  #error(firstLine: number, at: number, problem: string): Error {
    const column = Buffer.byteLength(this.#text.slice(this.#lineStart, at)) + 1;
    const record = firstLine === this.#line ? '' : `record on line ${firstLine}; `;
    return new Error(`${record}parse error on line ${this.#line}, column ${column}: ${problem}`);
  }
}
