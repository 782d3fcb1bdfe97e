/** The place of a value inside an object, printed as upstream prints it: `spec.containers[0].env[KEY]`. Immutable. */
export class Path {
  readonly #parent: Path | undefined;
  readonly #segment: string;

  private constructor(parent: Path | undefined, segment: string) {
    this.#parent = parent;
    this.#segment = segment;
  }

  static of(name: string, ...more: string[]): Path {
    return more.reduce((path, part) => path.child(part), new Path(undefined, name));
  }

  child(name: string, ...more: string[]): Path {
    return more.reduce(
      (path, part) => path.child(part),
      new Path(this, this.#parent || this.#segment ? `.${name}` : name),
    );
  }

  index(index: number): Path {
    return new Path(this, `[${index}]`);
  }

  key(key: string): Path {
    return new Path(this, `[${key}]`);
  }

  /** The first segment, as a path. */
  root(): Path {
    let path: Path = this;
    while (path.#parent) path = path.#parent;
    return path;
  }

  toString(): string {
    let text = this.#segment;
    for (let path = this.#parent; path; path = path.#parent) text = path.#segment + text;
    return text;
  }
}
