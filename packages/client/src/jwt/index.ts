/** JSON Web Tokens of service accounts, for Node: signed, taken apart, verified, and the keys for it. */
export { parseJwt, signJwt, type UnverifiedJwt, verifyJwt } from './jwt.ts';
export {
  parseSigningKey,
  parseVerificationKeys,
  type SigningKey,
  toSigningKey,
  type VerificationKey,
} from './keys.ts';
