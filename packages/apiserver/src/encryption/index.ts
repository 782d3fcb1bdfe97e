/** Encryption of what is stored: `--encryption-provider-config`. */
export { Encryption, loadEncryption } from './encryption.ts';
