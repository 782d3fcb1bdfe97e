import { readFile } from 'node:fs/promises';
import type { Clock, Logger } from '@coxswain/client';
import { type CertificateAuthorities, CertificatePool } from '@coxswain/component-base/authentication';
import { followFiles } from '@coxswain/component-base/files';

/** The CAs of client certificates, from a file that is followed. */
export class ClientAuthorities implements CertificateAuthorities {
  readonly #file: string;
  current: CertificatePool;

  private constructor(file: string, pool: CertificatePool) {
    this.#file = file;
    this.current = pool;
  }

  /** Rejects with an Error if the file cannot be used. */
  static async load(file: string): Promise<ClientAuthorities> {
    return new ClientAuthorities(file, CertificatePool.fromPem(await readFile(file, 'utf8')));
  }

  /** Calls `onChange` after each change of the file. Returns a function that ends this. */
  follow(onChange: () => void, { clock, logger }: { readonly clock: Clock; readonly logger: Logger }): () => void {
    const followed = followFiles({
      files: [this.#file],
      initial: [],
      clock,
      onChange: ([pem = '']) => {
        this.current = CertificatePool.fromPem(pem);
        onChange();
      },
      onError: (error) => logger.error('Failed to load the CAs of clients', error, { file: this.#file }),
    });
    return () => followed.close();
  }
}
