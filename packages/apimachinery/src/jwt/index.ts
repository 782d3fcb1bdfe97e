/**
 * JSON Web Tokens taken apart, on any platform. Who signed one is not asked here: `@coxswain/client/jwt` knows the tokens of
 * service accounts.
 */
export { headerProblem, parseJwt, type UnverifiedJwt, unverifiedClaims } from './parse-jwt.ts';
