/**
 * Verifies signatures by @noble/curves and @noble/hashes, without the platform's cryptography: for browsers, whose own verification is
 * asynchronous only. A separate module, because these libraries take 25 ms to load.
 */
export { portableSignatures } from './portable-signatures.ts';
