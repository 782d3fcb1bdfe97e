import { isDeepStrictEqual } from 'node:util';
import { type Clock, sleep, systemClock } from '@coxswain/apimachinery/clock';
import {
  asApiError,
  isForbidden,
  isNotFound,
  isUnauthorized,
  isUnexpectedServerError,
} from '@coxswain/apimachinery/errors';
import { systemRandom } from '@coxswain/apimachinery/random';
import type { Credential, Credentials } from '../config/rest-config.ts';
import { secretCredential } from '../kubeconfig/credentials/secret-credential.ts';
import { type Logger, silentLogger } from '../observe/index.ts';
import { BackoffSteps, childSignal } from '../wait/index.ts';
import { PemKeyPair } from '../x509/pem-key-pair.ts';
import type { CertificateStore } from './certificate-file-store.ts';
import { type CertificateTemplate, createCertificateRequest, exportKey, generateKey } from './certificate-request.ts';
import {
  type KeyUsage,
  requestCertificate,
  type SigningRequestClient,
  waitForCertificate,
} from './request-certificate.ts';
import { satisfiesTemplate } from './satisfies-template.ts';

export interface CertificateManagerOptions {
  readonly store: CertificateStore;
  /**
   * The requested subject and names. A function is called every second: when the current certificate does not satisfy
   * its result, a new one is requested at once. It returns undefined while the names are not known yet.
   */
  readonly template: CertificateTemplate | (() => CertificateTemplate | undefined);
  /**
   * Returns the client for the API server; called before each request with the current pair, if there is a valid one.
   */
  readonly client: (current: PemKeyPair | undefined) => SigningRequestClient | Promise<SigningRequestClient>;
  readonly signerName: string;
  readonly usages: readonly KeyUsage[];
  readonly expirationSeconds?: number;
  /** Initial pair, PEM, when the store has no valid one. It is used immediately, and a rotation starts at once. */
  readonly bootstrap?: { readonly certificate: string; readonly key: string };
  /**
   * Called after a rotation with the new pair and the age of the previous one. Neither `onRotated` nor `onFailure` may
   * throw.
   */
  readonly onRotated?: (current: PemKeyPair, usedForMs: number | undefined) => void;
  readonly onFailure?: (error: unknown) => void;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly logger?: Logger;
}

/** Maximum time for one request to be approved and issued. */
const waitMs = 15 * 60_000;
const templatePeriodMs = 1000;
const backoff = { durationMs: 2000, factor: 2, jitter: 0.1, steps: 5 };
const lastingRetryMs = 32_000;

/**
 * Obtains and rotates a certificate. Requests a new one, with a new key, when there is none, when 70 to 90% of its
 * lifetime has passed, or when it no longer satisfies the template. Retries failures until it is stopped.
 */
export class CertificateManager {
  readonly #options: CertificateManagerOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #logger: Logger;
  readonly #template: () => CertificateTemplate | undefined;
  #current: PemKeyPair | undefined;
  #credential: Credential | undefined;
  /** True when there is no stored pair or only the bootstrap pair: the first rotation is due at once. */
  #mustRotate: boolean;
  #serverHealthy = false;

  private constructor(options: CertificateManagerOptions, current: PemKeyPair | undefined, mustRotate: boolean) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom.number;
    this.#logger = options.logger ?? silentLogger;
    const { template } = options;
    this.#template = typeof template === 'function' ? template : () => template;
    this.#mustRotate = mustRotate;
    this.#setCurrent(current);
  }

  /** Creates a manager with the stored pair. Rejects when the store cannot be read. */
  static async create(options: CertificateManagerOptions): Promise<CertificateManager> {
    const stored = await options.store.current();
    if (stored && (options.clock ?? systemClock).now() < stored.notAfter)
      return new CertificateManager(options, stored, false);
    const { bootstrap } = options;
    if (!bootstrap) return new CertificateManager(options, undefined, true);
    const first = new PemKeyPair(bootstrap.certificate, bootstrap.key);
    await options.store.update(bootstrap.certificate, bootstrap.key).catch((error: unknown) => {
      options.logger?.error('Unable to set the cert/key pair to the bootstrap certificate', error);
    });
    return new CertificateManager(options, first, true);
  }

  /** The current pair; undefined when there is none or it has expired. */
  get current(): PemKeyPair | undefined {
    return this.#current && this.#clock.now() <= this.#current.notAfter ? this.#current : undefined;
  }

  /** Whether the response to the last request shows that a working API server sent it. */
  get serverHealthy(): boolean {
    return this.#serverHealthy;
  }

  /** Credentials for a RestConfig that always return the current pair. Rejects while there is none. */
  readonly credentials: Credentials = {
    current: async () => {
      if (!this.current) throw new Error(`there is no valid certificate of ${this.#options.signerName}`);
      return this.#credential!;
    },
    refused: () => false,
  };

  /** Rotates until the signal is aborted, then resolves. No request or timer is left behind. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await this.#untilDue(signal);
        await this.#rotateUntilDone(signal);
        await sleep(this.#clock, templatePeriodMs, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #setCurrent(pair: PemKeyPair | undefined): void {
    this.#current = pair;
    this.#credential =
      pair && secretCredential({ clientCertificate: { certificate: pair.certificate, key: pair.key } });
  }

  /** Resolves when a new certificate is due and the template is known. */
  async #untilDue(signal: AbortSignal): Promise<void> {
    const isDynamic = typeof this.#options.template === 'function';
    const deadline = this.#deadline();
    for (;;) {
      signal.throwIfAborted();
      const left = deadline - this.#clock.now();
      const template = this.#template();
      if (template && (left <= 0 || !this.#current || !satisfiesTemplate(this.#current, template))) return;
      await sleep(this.#clock, isDynamic ? templatePeriodMs : left, signal);
    }
  }

  #deadline(): number {
    const isDue = this.#mustRotate;
    this.#mustRotate = false;
    if (isDue || !this.#current) return this.#clock.now();
    const { notBefore, notAfter } = this.#current;
    // Jitter, so that certificates issued together are not renewed together.
    return notBefore + (notAfter - notBefore) * (0.7 + 0.2 * this.#random());
  }

  async #rotateUntilDone(signal: AbortSignal): Promise<void> {
    const steps = new BackoffSteps(backoff, this.#random);
    for (;;) {
      const template = this.#template();
      if (!template) return;
      try {
        const issued = await this.#rotate(template, signal);
        if (satisfiesTemplate(issued, template)) return;
        // The signer left out requested names. It would do so again, so don't retry at once.
        this.#logger.warn('Issued certificate does not satisfy the template', { signerName: this.#options.signerName });
        await sleep(this.#clock, lastingRetryMs, signal);
        return;
      } catch (error) {
        signal.throwIfAborted();
        this.#options.onFailure?.(error);
        this.#logger.error('Failed to rotate certificate', error, { signerName: this.#options.signerName });
      }
      await sleep(this.#clock, steps.left > 0 ? steps.next() : lastingRetryMs, signal);
    }
  }

  async #rotate(template: CertificateTemplate, parent: AbortSignal): Promise<PemKeyPair> {
    const { store, signerName, usages, expirationSeconds, onRotated } = this.#options;
    const key = generateKey();
    const request = createCertificateRequest(template, key);
    const client = await this.#options.client(this.current);
    const clock = this.#clock;
    const { signal, abort, dispose } = childSignal({ parent, timeoutMs: waitMs, clock });
    const stopWatching = this.#watchTemplate(template, () => abort(new Error('the certificate template has changed')));
    try {
      const submitted = await requestCertificate(client, {
        request,
        key,
        signerName,
        usages,
        expirationSeconds,
        signal,
        clock,
      }).catch((error: unknown) => {
        this.#serverHealthy = isHealthy(error);
        throw error;
      });
      const certificate = await waitForCertificate(client, submitted, { signal, clock });
      const before = this.#current;
      const issued = await store.update(certificate, exportKey(key));
      this.#setCurrent(issued);
      this.#serverHealthy = true;
      onRotated?.(issued, before && clock.now() - before.notBefore);
      return issued;
    } finally {
      stopWatching();
      dispose();
    }
  }

  /**
   * Calls `onChange` once when the template function returns something else. Returns a function that stops watching.
   */
  #watchTemplate(template: CertificateTemplate, onChange: () => void): () => void {
    if (typeof this.#options.template !== 'function') return () => {};
    const look = (): void => {
      const wanted = this.#template();
      if (wanted && !isDeepStrictEqual(wanted, template)) onChange();
      else timer = this.#clock.setTimeout(look, templatePeriodMs);
    };
    let timer = this.#clock.setTimeout(look, templatePeriodMs);
    return () => timer.cancel();
  }
}

/** Whether the error is a 401, 403 or 404 from the API server itself. Responses of proxies in between do not count. */
function isHealthy(error: unknown): boolean {
  if (!asApiError(error)) return false;
  if (isUnauthorized(error)) return true;
  return !isUnexpectedServerError(error) && (isNotFound(error) || isForbidden(error));
}
