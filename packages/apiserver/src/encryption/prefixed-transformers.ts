import { messageOf } from '@coxswain/apimachinery/errors';
import { type Decrypted, isPromise, type MaybePromise, type Transformer } from './transformer.ts';

export interface PrefixedTransformer {
  /** The start of its stored values: `k8s:enc:aesgcm:v1:`. */
  readonly prefix: string;
  readonly transformer: Transformer;
}

/**
 * Writes with the first transformer, after its prefix, and reads with every one whose prefix matches. This permits rotating
 * keys, and turning encryption on and off. Values that another transformer than the first has written are stale.
 */
export class PrefixedTransformers implements Transformer {
  readonly #all: readonly { readonly prefix: Buffer; readonly transformer: Transformer }[];
  readonly #nobodys: string;

  /** `nobodys`: the error message for values that no transformer could decrypt and none but `identity` tried to. */
  constructor(all: readonly PrefixedTransformer[], nobodys: string) {
    this.#all = all.map(({ prefix, transformer }) => ({ prefix: Buffer.from(prefix), transformer }));
    this.#nobodys = nobodys;
  }

  encrypt(value: Uint8Array, key: string): MaybePromise<Uint8Array> {
    const { prefix, transformer } = this.#all[0]!;
    const behind = (encrypted: Uint8Array): Uint8Array =>
      prefix.length === 0 ? encrypted : Buffer.concat([prefix, encrypted]);
    const encrypted = transformer.encrypt(value, key);
    return isPromise(encrypted) ? encrypted.then(behind) : behind(encrypted);
  }

  decrypt(stored: Uint8Array, key: string): MaybePromise<Decrypted> {
    return this.#decrypt(0, [], stored, key);
  }

  /** Several transformers may have the same prefix and different keys, so all matching ones are tried. */
  #decrypt(from: number, failures: unknown[], stored: Uint8Array, key: string): MaybePromise<Decrypted> {
    for (let i = from; i < this.#all.length; i++) {
      const { prefix, transformer } = this.#all[i]!;
      if (prefix.compare(stored, 0, Math.min(prefix.length, stored.length)) !== 0) continue;
      const found = ({ value, stale }: Decrypted): Decrypted => ({ value, stale: stale || i > 0 });
      const failed = (error: unknown): void => {
        // The error of `identity` says nothing about why the other transformers failed.
        if (prefix.length > 0) failures.push(error);
      };
      try {
        const decrypted = transformer.decrypt(stored.subarray(prefix.length), key);
        if (!isPromise(decrypted)) return found(decrypted);
        return decrypted.then(found, (error) => {
          failed(error);
          return this.#decrypt(i + 1, failures, stored, key);
        });
      } catch (error) {
        failed(error);
      }
    }
    const messages = [...new Set(failures.map(messageOf))];
    if (messages.length === 0) throw new Error(this.#nobodys);
    throw new Error(messages.length === 1 ? messages[0] : `[${messages.join(', ')}]`, { cause: failures[0] });
  }
}
