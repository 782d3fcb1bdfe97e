/**
 * Parses JSON Web Tokens, on any platform. Signatures are not verified here: `@coxswain/client/jwt` supports the tokens of service
 * accounts.
 */
export { headerProblem, parseJwt, type UnverifiedJwt, unverifiedClaims } from './parse-jwt.ts';
