/** The kind of a path segment that is not the index of a list's item. */
const child = -1;
const key = -2;

/**
 * The path of a value inside an object, printed as upstream prints it: `spec.containers[0].env[KEY]`. Immutable.
 *
 * Validators create many paths and print few: creating one is cheap, its text is built by `toString`.
 */
export class Path {
  // Declared only: an initializer would run before the constructor sets the field anyway.
  declare private readonly parent: Path | undefined;
  declare private readonly name: string;
  /** The index of an item, or `child` or `key` for a segment by `name`. */
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

  /**
   * Returns the path of a field, or of one below it: `child('template', 'spec')`. It has no rest parameter, which would create an array
   * on every call.
   */
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

  /** Returns the first segment, as a path. */
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

  /** True for a root without a name: the segment below it has no dot. */
  private isNowhere(): boolean {
    return this.parent === undefined && this.name === '';
  }
}
