/** Encryption at rest: `--encryption-provider-config`. */
export { Encryption, loadEncryption } from './encryption.ts';
