import { RpcError } from '@coxswain/grpc';

/** Sandboxes or containers by id. An id may be shortened while it is unique. */
export class FoundById<T> {
  readonly #kind: string;
  readonly #all = new Map<string, T>();

  constructor(kind: 'sandbox' | 'container') {
    this.#kind = kind;
  }

  add(id: string, item: T): void {
    this.#all.set(id, item);
  }

  delete(id: string): void {
    this.#all.delete(id);
  }

  values(): IterableIterator<T> {
    return this.#all.values();
  }

  ids(): IterableIterator<string> {
    return this.#all.keys();
  }

  /** Undefined if there is none. */
  find(id: string): T | undefined {
    const exact = this.#all.get(id);
    if (exact !== undefined || id === '') return exact;
    const ids = [...this.#all.keys()].filter((each) => each.startsWith(id));
    return ids.length === 1 ? this.#all.get(ids[0] ?? '') : undefined;
  }

  /** Throws NotFound if there is none. */
  get(id: string): T {
    const found = this.find(id);
    if (found === undefined)
      throw new RpcError(
        'NotFound',
        `an error occurred when try to find ${this.#kind} ${JSON.stringify(id)}: not found`,
      );
    return found;
  }
}
