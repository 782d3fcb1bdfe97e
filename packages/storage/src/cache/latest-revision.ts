/**
 * Reads the store's newest revision for many callers: each gets the result of a read that began after its call, and all
 * calls during a read share the next one.
 */
export class LatestRevision {
  readonly #read: () => Promise<number>;
  #current: Promise<number> | undefined;
  #next: Promise<number> | undefined;

  constructor(read: () => Promise<number>) {
    this.#read = read;
  }

  get(): Promise<number> {
    if (this.#current === undefined) return this.#start();
    this.#next ??= this.#current.then(
      () => this.#startNext(),
      () => this.#startNext(),
    );
    return this.#next;
  }

  #startNext(): Promise<number> {
    this.#next = undefined;
    return this.#start();
  }

  #start(): Promise<number> {
    const current = this.#read();
    this.#current = current;
    const finished = () => {
      if (this.#current === current) this.#current = undefined;
    };
    current.then(finished, finished);
    return current;
  }
}
