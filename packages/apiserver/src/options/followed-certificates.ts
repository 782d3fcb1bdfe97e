import { loadKeyPair } from '@coxswain/client/x509';
import { type CertificateAuthorities, CertificatePool } from '../authentication/index.ts';
import type { FollowedFile } from '../server/api-server-config.ts';
import type { CompletedOptions } from './api-server-flags.ts';
import type { ServerFiles } from './server-files.ts';

/** CA certificates of clients, which are reloaded from their file. */
export class FileAuthorities implements CertificateAuthorities {
  #pem: string;
  #pool: CertificatePool;
  /** The file to follow; empty without a file. */
  readonly followed: readonly FollowedFile[];

  /** Throws an Error when `pem` has no certificate. */
  constructor(flag: string, file: string | undefined, pem: string) {
    this.#pem = pem;
    this.#pool = CertificatePool.fromPem(pem);
    const apply: FollowedFile['apply'] = async ([text = '']) => this.#apply(text);
    this.followed = file ? [{ flag, files: [file], contents: [pem], apply }] : [];
  }

  get current(): CertificatePool {
    return this.#pool;
  }

  get pem(): string {
    return this.#pem;
  }

  #apply(pem: string): void {
    this.#pool = CertificatePool.fromPem(pem);
    this.#pem = pem;
  }
}

/** Returns all CA certificates of clients as PEM. The TLS handshake names them, so that clients can choose a certificate. */
export const clientAuthoritiesPem = (authorities: readonly FileAuthorities[]): string[] =>
  authorities.map(({ pem }) => pem);

/** Returns the files of client CAs to follow. Changes apply to new connections. */
export function clientAuthorityFiles(authorities: readonly FileAuthorities[]): FollowedFile[] {
  return authorities
    .flatMap(({ followed }) => followed)
    .map((file) => ({
      ...file,
      apply: async (contents, listener) => {
        await file.apply(contents, listener);
        listener?.setClientCAs(clientAuthoritiesPem(authorities));
      },
    }));
}

/** Returns `--tls-cert-file` and its key as files to follow. Changes apply to new connections. */
export function servingCertificateFiles(
  { tlsCertFile: certificateFile, tlsPrivateKeyFile: keyFile }: CompletedOptions,
  { identity }: ServerFiles,
  now: () => Date,
): FollowedFile[] {
  if (!certificateFile || !keyFile) return [];
  const { certificatePem, keyPem } = identity.serving;
  return [
    {
      flag: 'tls-cert-file',
      files: [certificateFile, keyFile],
      contents: [certificatePem, keyPem],
      apply: async (_, listener) => {
        const pair = await loadKeyPair({ certificateFile, keyFile }, now);
        listener?.setCertificate({ cert: pair.certificatePem, key: pair.keyPem });
      },
    },
  ];
}
