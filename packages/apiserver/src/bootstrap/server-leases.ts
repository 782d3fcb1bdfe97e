import type { Endpoints } from '@coxswain/api/core/v1';
import type { Store } from '@coxswain/storage';

const ttlSeconds = 15;

/** The running API servers: one key in the store for each, which expires when its server does not renew it. */
export class ServerLeases {
  readonly #store: Store;
  readonly #prefix: string;

  constructor(store: Store, storePrefix: string) {
    this.#store = store;
    this.#prefix = `${storePrefix}/masterleases/`;
  }

  async renew(address: string): Promise<void> {
    const lease: Endpoints = {
      kind: 'Endpoints',
      apiVersion: 'v1',
      metadata: {},
      subsets: [{ addresses: [{ ip: address }] }],
    };
    const value = Buffer.from(JSON.stringify(lease));
    await this.#write(address, (key, expected) => this.#store.put(key, value, { expected, ttlSeconds }));
  }

  async remove(address: string): Promise<void> {
    await this.#write(address, async (key, expected) =>
      expected === 0 ? { ok: true } : this.#store.delete(key, { expected }),
    );
  }

  /** The addresses of the running servers, sorted. */
  async list(): Promise<string[]> {
    const { entries } = await this.#store.list(this.#prefix);
    return entries.map(({ key }) => key.slice(this.#prefix.length));
  }

  /** Overwrites any existing value: only this server, or an earlier one at its address, writes the key. */
  async #write(
    address: string,
    write: (
      key: string,
      expected: number,
    ) => Promise<{ readonly ok: boolean; readonly current?: { modRevision: number } }>,
  ): Promise<void> {
    const key = this.#prefix + address;
    const { entry } = await this.#store.get(key);
    let expected = entry?.modRevision ?? 0;
    for (;;) {
      const written = await write(key, expected);
      if (written.ok) return;
      expected = written.current?.modRevision ?? 0;
    }
  }
}
