/**
 * A JSON number kept as it was written, because the double it stands for would not tell: `1.0` and `1e3` are no integers
 * to Go, and a quantity keeps its exponent. The exact JSON parser makes them; normalising removes them all.
 */
export class NumberLiteral {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  valueOf(): number {
    return Number(this.text);
  }
}
