/**
 * Signatures checked without a platform's help, by @noble/curves and @noble/hashes: for browsers, where nothing else does it
 * without a promise. It is a module of its own because these libraries take 25 ms to load.
 */
export { portableSignatures } from './portable-signatures.ts';
