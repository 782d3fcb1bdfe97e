/** Signs and verifies the JSON Web Tokens of service accounts, and parses their keys. Needs Node. */
export { signJwt, verifyJwt } from './jwt.ts';
export {
  parseSigningKey,
  parseVerificationKeys,
  type SigningKey,
  toSigningKey,
  type VerificationKey,
} from './keys.ts';
