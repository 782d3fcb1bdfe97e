/** Remembers a number of uids, the latest ones. */
export class RecentUids {
  readonly #uids = new Set<string>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(uid: string): void {
    this.#uids.delete(uid);
    this.#uids.add(uid);
    for (const oldest of this.#uids) {
      if (this.#uids.size <= this.#limit) break;
      this.#uids.delete(oldest);
    }
  }

  has(uid: string): boolean {
    return this.#uids.has(uid);
  }
}
