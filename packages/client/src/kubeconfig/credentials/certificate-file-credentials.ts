import type { Clock } from '@coxswain/apimachinery/clock';
import type { Credential, Credentials } from '../../config/rest-config.ts';
import type { Logger } from '../../observe/index.ts';
import { keyPairProblem } from '../../x509/pem-key-pair.ts';
import { secretCredential } from './secret-credential.ts';
import { WatchedFile } from './watched-file.ts';

const periodMs = 1000;

/** A client certificate in two files (or one) that are replaced before it expires. */
export class CertificateFileCredentials implements Credentials {
  readonly #certificate: WatchedFile;
  readonly #key: WatchedFile;
  readonly #logger: Logger | undefined;
  /** The last matching pair of certificate and key. */
  #credential: Credential | undefined;

  constructor(
    certificateFile: string,
    keyFile: string,
    options: { readonly clock?: Clock; readonly logger?: Logger } = {},
  ) {
    this.#certificate = new WatchedFile(certificateFile, { periodMs, ...options });
    this.#key = keyFile === certificateFile ? this.#certificate : new WatchedFile(keyFile, { periodMs, ...options });
    this.#logger = options.logger;
  }

  async current(): Promise<Credential> {
    const [certificate, key] = await Promise.all([this.#certificate.read(), this.#key.read()]);
    const last = this.#credential?.clientCertificate;
    if (last?.certificate === certificate && last.key === key) return this.#credential!;
    const problem = keyPairProblem(certificate, key);
    if (problem === undefined) {
      this.#credential = secretCredential({ clientCertificate: { certificate, key } });
    } else if (!this.#credential) {
      throw new Error(problem);
    } else {
      // Only one of the files has been replaced yet: keep the old pair.
      this.#logger?.warn('Unable to load client certificate', { path: this.#certificate.path, err: problem });
    }
    return this.#credential;
  }

  refused(): boolean {
    this.#certificate.expire();
    this.#key.expire();
    return true;
  }
}
