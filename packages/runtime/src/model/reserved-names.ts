/** Names that are taken: of a sandbox or container with its attempt. Each belongs to one id. */
export class ReservedNames {
  readonly #idOf = new Map<string, string>();

  /** Throws an Error with containerd's message if another id has the name. */
  reserve(name: string, id: string): void {
    const owner = this.#idOf.get(name);
    if (owner !== undefined && owner !== id)
      throw new Error(`name ${JSON.stringify(name)} is reserved for ${JSON.stringify(owner)}`);
    this.#idOf.set(name, id);
  }

  release(name: string, id: string): void {
    if (this.#idOf.get(name) === id) this.#idOf.delete(name);
  }
}
