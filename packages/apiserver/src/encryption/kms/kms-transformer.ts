import { createHash, randomBytes } from 'node:crypto';
import { LruCache } from '@coxswain/apimachinery/cache';
import { messageOf } from '@coxswain/apimachinery/errors';
import { timeFromDate } from '@coxswain/apimachinery/time';
import type { Logger } from '@coxswain/apimachinery/log';
import { aesGcm, seededAesGcm } from '../local-transformers.ts';
import type { Decrypted, MaybePromise, Transformer } from '../transformer.ts';
import { assertEnvelope, decodeEnvelope, type Envelope, encodeEnvelope, keyIdProblem } from './encrypted-object.ts';
import type { KmsService } from './kms-service.ts';
import { seedSource, type WrappedKey } from './messages.ts';

/** How long after the last successful health check a seed may encrypt values. */
const writableMs = 3 * 60_000;
const wellIntervalMs = 60_000;
const illIntervalMs = 10_000;
/** How long the result of a health check is reused. */
const wellTtlMs = 20_000;
const illTtlMs = 3_000;
/** Maximum number of cached seeds. Each server start and each key rotation adds one. */
const maxSeeds = 4_096;

export interface KmsTransformerOptions {
  readonly name: string;
  readonly service: KmsService;
  readonly now: () => Date;
  readonly uuid: () => string;
  /** Receives failed health checks. */
  readonly logger: Logger;
}

interface Seed {
  readonly transformer: Transformer;
  readonly wrapped: WrappedKey;
  readonly writableUntil: number;
}

/**
 * Envelope encryption with a KMS v2 plug-in. The plug-in wraps one seed per server start and key, and all values are
 * encrypted with keys derived from the seed. So the plug-in is called at the start, once a minute for its health, and
 * when a value with an unknown seed is read.
 */
export class KmsTransformer implements Transformer {
  readonly #options: KmsTransformerOptions;
  readonly #unwrapped = new LruCache<string, MaybePromise<Transformer>>(maxSeeds);
  #seed: Seed | undefined;
  #version: string | undefined;
  #last: { readonly at: number; readonly error: unknown } | undefined;
  #checking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: KmsTransformerOptions) {
    this.#options = options;
  }

  /** Checks the plug-in, and repeats that periodically. A plug-in that is not healthy is logged; it does not reject. */
  async start(): Promise<void> {
    await this.#probe();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#options.service.close();
  }

  encrypt(value: Uint8Array, key: string): MaybePromise<Uint8Array> {
    const { transformer, wrapped, writableUntil } = this.#currentSeed();
    const now = this.#options.now().getTime();
    if (now > writableUntil)
      throw new Error(
        `encryptedDEKSource with keyID hash ${JSON.stringify(hash(wrapped.keyId))} expired at ${timeFromDate(new Date(writableUntil))} (current time is ${timeFromDate(new Date(now))})`,
      );
    const encryptedData = transformer.encrypt(value, key) as Uint8Array;
    return encodeEnvelope(envelopeOf(wrapped, encryptedData));
  }

  decrypt(stored: Uint8Array, key: string): MaybePromise<Decrypted> {
    const envelope = decodeEnvelope(stored);
    const { keyId, encryptedData, encryptedDEKSourceType } = envelope;
    const current = this.#currentSeed().wrapped.keyId;
    const stale = keyId !== current || encryptedDEKSourceType !== seedSource;
    const open = (transformer: Transformer): Decrypted => ({
      value: (transformer.decrypt(encryptedData, key) as Decrypted).value,
      stale,
    });
    const transformer = this.#transformerOf(envelope);
    return transformer instanceof Promise ? transformer.then(open) : open(transformer);
  }

  /** Throws when the plug-in is not healthy. Calls it unless there is a recent result. */
  async check(): Promise<void> {
    const now = this.#options.now().getTime();
    const last = this.#last;
    if (last && now - last.at < (last.error === undefined ? wellTtlMs : illTtlMs)) {
      if (last.error !== undefined) throw last.error;
      return;
    }
    this.#checking ??= this.#askStatus().finally(() => {
      this.#checking = undefined;
    });
    await this.#checking;
  }

  async #probe(): Promise<void> {
    let pause = wellIntervalMs;
    try {
      await this.check();
    } catch (error) {
      this.#options.logger.error('KMS plug-in is not healthy', error, { plugin: this.#options.name });
      pause = illIntervalMs;
    }
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.#probe(), pause);
    this.#timer.unref();
  }

  async #askStatus(): Promise<void> {
    const { now, name } = this.#options;
    try {
      await this.#refresh();
      this.#last = { at: now().getTime(), error: undefined };
    } catch (cause) {
      const error = new Error(`kmsv2 Provider ${name} is not healthy, error: ${messageOf(cause)}`, { cause });
      this.#last = { at: now().getTime(), error };
      throw error;
    }
  }

  /** Checks the status. Makes a new seed for a new key ID; otherwise extends the use of the current one. */
  async #refresh(): Promise<void> {
    const { service, now, uuid } = this.#options;
    // Taken before the call: the plug-in is not known to be healthy for any later time.
    const writableUntil = now().getTime() + writableMs;
    const { healthz, version, keyId } = await service.status();
    if (healthz !== 'ok') throw new Error(`got unexpected healthz status: ${healthz}`);
    if (version !== 'v2' && version !== 'v2beta1') throw new Error(`expected KMSv2 API version v2, got ${version}`);
    this.#version ??= version;
    if (version !== this.#version)
      throw new Error(
        `KMSv2 API version should not change after the initial status response version ${this.#version}, got ${version}`,
      );
    const problem = keyIdProblem(keyId);
    if (problem) throw new Error(`got invalid KMSv2 KeyID hash ${JSON.stringify(hash(keyId))}: ${problem}`);
    if (this.#seed?.wrapped.keyId === keyId) {
      this.#seed = { ...this.#seed, writableUntil };
      return;
    }
    const seed = randomBytes(32);
    const wrapped = await service.encrypt(seed, uuid());
    const envelope = envelopeOf(wrapped, Uint8Array.of(0));
    assertEnvelope(envelope);
    if (wrapped.keyId !== keyId)
      throw new Error(
        'failed to rotate DEK: the key ID of the Encrypt response differs from that of the Status response',
      );
    const transformer = seededAesGcm(seed);
    this.#seed = { transformer, wrapped, writableUntil };
    this.#unwrapped.set(cacheKey(envelope), transformer);
  }

  #currentSeed(): Seed {
    if (!this.#seed) throw new Error('got unexpected nil transformer');
    return this.#seed;
  }

  #transformerOf(envelope: Envelope): MaybePromise<Transformer> {
    const key = cacheKey(envelope);
    const known = this.#unwrapped.get(key);
    if (known) return known;
    const unwrapping = this.#unwrap(envelope).then(
      (transformer) => {
        this.#unwrapped.set(key, transformer);
        return transformer;
      },
      (error) => {
        this.#unwrapped.delete(key);
        throw error;
      },
    );
    this.#unwrapped.set(key, unwrapping);
    return unwrapping;
  }

  async #unwrap({ encryptedDEKSource, keyId, annotations, encryptedDEKSourceType }: Envelope): Promise<Transformer> {
    const { service, uuid } = this.#options;
    try {
      const key = await service.decrypt({ ciphertext: encryptedDEKSource, keyId, annotations }, uuid());
      return encryptedDEKSourceType === seedSource ? seededAesGcm(key) : aesGcm(key);
    } catch (cause) {
      throw new Error(`failed to decrypt DEK, error: ${messageOf(cause)}`, { cause });
    }
  }
}

const envelopeOf = ({ ciphertext, keyId, annotations }: WrappedKey, encryptedData: Uint8Array): Envelope => ({
  encryptedData,
  keyId,
  encryptedDEKSource: ciphertext,
  annotations,
  encryptedDEKSourceType: seedSource,
});

/** All parameters of the Decrypt call. */
const cacheKey = ({ encryptedDEKSource, keyId, annotations, encryptedDEKSourceType }: Envelope): string =>
  JSON.stringify([
    encryptedDEKSourceType,
    keyId,
    Buffer.from(encryptedDEKSource).toString('base64'),
    annotations.map(({ key, value }) => [key, value && Buffer.from(value).toString('base64')]),
  ]);

const hash = (keyId: string): string =>
  keyId === '' ? '' : `sha256:${createHash('sha256').update(keyId).digest('hex')}`;
