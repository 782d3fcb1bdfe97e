/** JSON Web Tokens of service accounts, for Node: signed and verified, and the keys for it. */
export { signJwt, verifyJwt } from './jwt.ts';
export {
  parseSigningKey,
  parseVerificationKeys,
  type SigningKey,
  toSigningKey,
  type VerificationKey,
} from './keys.ts';
