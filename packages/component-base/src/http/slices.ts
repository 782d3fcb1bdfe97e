/** So long a slice may take. */
const sliceMs = 10;

/** Does the same work for many items, in the order in which they came: a slice of them in each turn of the event loop. */
export class Slices<T> {
  readonly #work: (item: T) => void;
  readonly #waiting = new Set<T>();
  #next: NodeJS.Immediate | undefined;

  constructor(work: (item: T) => void) {
    this.#work = work;
  }

  /** How many wait. */
  get size(): number {
    return this.#waiting.size;
  }

  add(item: T): void {
    this.#waiting.add(item);
    this.#next ??= setImmediate(() => this.#run());
  }

  delete(item: T): void {
    this.#waiting.delete(item);
  }

  #run(): void {
    this.#next = undefined;
    const end = performance.now() + sliceMs;
    for (const item of this.#waiting) {
      this.#waiting.delete(item);
      this.#work(item);
      if (performance.now() >= end) break;
    }
    if (this.#waiting.size > 0) this.#next ??= setImmediate(() => this.#run());
  }
}
