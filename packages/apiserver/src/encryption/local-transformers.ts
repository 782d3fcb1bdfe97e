import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import type { Transformer } from './transformer.ts';

/** Stores values as they are. Its `decrypt` throws for encrypted values, so that another transformer is tried. */
export const identity: Transformer = {
  encrypt: (value) => value,
  decrypt: (value) => {
    if (encrypted.compare(value, 0, Math.min(encrypted.length, value.length)) === 0)
      throw new Error('identity transformer tried to read encrypted data');
    return { value, stale: false };
  },
};
const encrypted = Buffer.from('k8s:enc:');

const nonceSize = 12;
const tagSize = 16;

/** AES-GCM: nonce, data, tag. The key in the store is the additional authenticated data. */
export function aesGcm(key: Uint8Array): Transformer {
  const algorithm = `aes-${key.length * 8}-gcm` as 'aes-256-gcm';
  return {
    encrypt: (value, place) => {
      const nonce = randomBytes(nonceSize);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(place));
      return Buffer.concat([nonce, cipher.update(value), cipher.final(), cipher.getAuthTag()]);
    },
    decrypt: (stored, place) => {
      if (stored.length < nonceSize) throw tooShort();
      // Go has this message for every failure to open.
      if (stored.length < nonceSize + tagSize) throw new Error('cipher: message authentication failed');
      const end = stored.length - tagSize;
      const decipher = createDecipheriv(algorithm, key, stored.subarray(0, nonceSize), { authTagLength: tagSize })
        .setAAD(Buffer.from(place))
        .setAuthTag(stored.subarray(end));
      const start = decipher.update(stored.subarray(nonceSize, end));
      try {
        return { value: Buffer.concat([start, decipher.final()]), stale: false };
      } catch (cause) {
        throw new Error('cipher: message authentication failed', { cause });
      }
    },
  };
}

/** AES-CBC with PKCS#7 padding: initialization vector, data. */
export function aesCbc(key: Uint8Array): Transformer {
  const algorithm = `aes-${key.length * 8}-cbc`;
  const blockSize = 16;
  return {
    encrypt: (value) => {
      const vector = randomBytes(blockSize);
      const cipher = createCipheriv(algorithm, key, vector);
      return Buffer.concat([vector, cipher.update(value), cipher.final()]);
    },
    decrypt: (stored) => {
      if (stored.length < blockSize) throw tooShort();
      if (stored.length % blockSize !== 0) throw new Error('the stored data is not a multiple of the block size');
      const decipher = createDecipheriv(algorithm, key, stored.subarray(0, blockSize));
      const start = decipher.update(stored.subarray(blockSize));
      try {
        return { value: Buffer.concat([start, decipher.final()]), stale: false };
      } catch (cause) {
        throw new Error('invalid padding on input', { cause });
      }
    },
  };
}

/** NaCl's secretbox (XSalsa20 and Poly1305): nonce, tag, data. */
export function secretbox(key: Uint8Array): Transformer {
  const nonceLength = 24;
  return {
    encrypt: (value) => {
      const nonce = randomBytes(nonceLength);
      return Buffer.concat([nonce, xsalsa20poly1305(key, nonce).encrypt(value)]);
    },
    decrypt: (stored) => {
      if (stored.length < nonceLength + tagSize) throw tooShort();
      try {
        const box = xsalsa20poly1305(key, stored.subarray(0, nonceLength));
        return { value: box.decrypt(stored.subarray(nonceLength)), stale: false };
      } catch (cause) {
        // Upstream has this message for every box that fails to open.
        throw new Error('output array was not large enough for encryption', { cause });
      }
    },
  };
}

const infoSize = 32;

/**
 * AES-GCM with a separate key for each value, derived from the seed and 32 random bytes that are stored before the
 * value. This allows one seed to encrypt any number of values.
 */
export function seededAesGcm(seed: Uint8Array): Transformer {
  if (seed.length < 32) throw new Error(`invalid seed length ${seed.length} used for key generation`);
  // HKDF-Expand of 32 bytes, which is a single round.
  const derived = (info: Uint8Array): Transformer =>
    aesGcm(createHmac('sha256', seed).update(info).update(Uint8Array.of(1)).digest());
  return {
    encrypt: (value, key) => {
      const info = randomBytes(infoSize);
      return Buffer.concat([info, derived(info).encrypt(value, key) as Uint8Array]);
    },
    decrypt: (stored, key) => {
      if (stored.length < infoSize) throw tooShort();
      return derived(stored.subarray(0, infoSize)).decrypt(stored.subarray(infoSize), key);
    },
  };
}

const tooShort = (): Error => new Error('the stored data was shorter than the required size');
