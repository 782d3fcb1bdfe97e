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
   * Who the certificate is for. A function is asked again every second: when it is for more or others than the
   * certificate, a new one is requested at once; undefined when that is not known yet.
   */
  readonly template: CertificateTemplate | (() => CertificateTemplate | undefined);
  /** How to reach the API server; asked before each request. Gets the current pair, if there is one that counts. */
  readonly client: (current: PemKeyPair | undefined) => SigningRequestClient | Promise<SigningRequestClient>;
  readonly signerName: string;
  readonly usages: readonly KeyUsage[];
  readonly expirationSeconds?: number;
  /** Used, and replaced at once, when the store has none. PEM. */
  readonly bootstrap?: { readonly certificate: string; readonly key: string };
  /** Called with how long the one before was in use. Must not throw, nor must `onFailure`. */
  readonly onRotated?: (current: PemKeyPair, usedForMs: number | undefined) => void;
  readonly onFailure?: (error: unknown) => void;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly logger?: Logger;
}

/** How long one request may wait to be approved and issued. */
const waitMs = 15 * 60_000;
const templatePeriodMs = 1000;
const backoff = { durationMs: 2000, factor: 2, jitter: 0.1, steps: 5 };
const lastingRetryMs = 32_000;

/**
 * Keeps a certificate fresh: gets one when there is none, and another, for a new key, when seven to nine tenths of its
 * time have passed or it is to be for somebody else. Goes on trying as long as it runs.
 */
export class CertificateManager {
  readonly #options: CertificateManagerOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #logger: Logger;
  readonly #template: () => CertificateTemplate | undefined;
  #current: PemKeyPair | undefined;
  #credential: Credential | undefined;
  /** What is there is not meant to stay. */
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

  /** Takes up what the store has. Rejects when that cannot be read. */
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

  /** Undefined before there is one, and when it has expired. */
  get current(): PemKeyPair | undefined {
    return this.#current && this.#clock.now() <= this.#current.notAfter ? this.#current : undefined;
  }

  /** Whether the server answered the last request in a way that only an API server does. */
  get serverHealthy(): boolean {
    return this.#serverHealthy;
  }

  /** For a RestConfig: always the current pair. Rejects while there is none. */
  readonly credentials: Credentials = {
    current: async () => {
      if (!this.current) throw new Error(`there is no valid certificate of ${this.#options.signerName}`);
      return this.#credential!;
    },
    refused: () => false,
  };

  /** Runs until the signal is aborted; then resolves, with nothing left under way. */
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

  /** Resolves when a new certificate is due and it is known for whom. */
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
    // Not all at one time, when many were made at one time.
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
        // A signer that leaves out what was asked for would do so again.
        this.#logger.warn('Certificate is not for all that was asked for', { signerName: this.#options.signerName });
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
    const stopWatching = this.#watchTemplate(template, () =>
      abort(new Error('the certificate is to be for somebody else')),
    );
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

  /** Calls back once when the template is no longer this one. */
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

/** Refusals that only an API server gives. What comes from something in between says nothing about it. */
function isHealthy(error: unknown): boolean {
  if (!asApiError(error)) return false;
  if (isUnauthorized(error)) return true;
  return !isUnexpectedServerError(error) && (isNotFound(error) || isForbidden(error));
}
