/** What a step of a path is, other than the index of a list's item. */
const child = -1;
const key = -2;

/**
 * The place of a value inside an object, printed as upstream prints it: `spec.containers[0].env[KEY]`. Immutable.
 *
 * Validators make many and print few: making one must cost next to nothing, its text is put together when asked for.
 */
export class Path {
  // Declared only: an initializer for fields that the constructor sets anyway would run before it each time.
  declare private readonly parent: Path | undefined;
  declare private readonly name: string;
  /** The index of an item, or `child` or `key` for a step by `name`. */
  declare private readonly step: number;

  private constructor(parent: Path | undefined, name: string, step: number) {
    this.parent = parent;
    this.name = name;
    this.step = step;
  }

  static of(name: string, ...more: string[]): Path {
    let path = new Path(undefined, name, child);
    for (const below of more) path = path.child(below);
    return path;
  }

  /** A field, or one below it: `child('template', 'spec')`. No rest parameter: it would make a list every time. */
  child(name: string, below?: string, furtherBelow?: string): Path {
    const path = new Path(this, name, child);
    return below === undefined ? path : path.child(below, furtherBelow);
  }

  index(index: number): Path {
    return new Path(this, '', index);
  }

  key(name: string): Path {
    return new Path(this, name, key);
  }

  /** The first segment, as a path. */
  root(): Path {
    let path: Path = this;
    while (path.parent) path = path.parent;
    return path;
  }

  toString(): string {
    let text = '';
    for (let path: Path | undefined = this; path; path = path.parent) text = path.segment() + text;
    return text;
  }

  private segment(): string {
    if (this.step === child) return this.parent && !this.parent.isNowhere() ? `.${this.name}` : this.name;
    return `[${this.step === key ? this.name : this.step}]`;
  }

  /** A root without a name: what is below it needs no dot. */
  private isNowhere(): boolean {
    return this.parent === undefined && this.name === '';
  }
}
