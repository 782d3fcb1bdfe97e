/**
 * A JSON number with its spelling, which the double would lose: `1.0` and `1e3` are not integers to Go, and a quantity keeps its
 * exponent. The exact JSON parser creates them; normalising removes them all.
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
