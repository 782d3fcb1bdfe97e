import { aggregate, quote } from '@coxswain/apimachinery';
import type {
  AnonymousConfiguration,
  AuthenticationConfiguration,
  JwtConfiguration,
} from './authentication-configuration.ts';
import { loadExpressionCompiler } from './expression-compiler.ts';
import { signingAlgorithms } from './json-web-key.ts';
import {
  compileJwt,
  type JwtExpressions,
  validateAuthenticationConfiguration,
} from './validate-authentication-configuration.ts';

/** One issuer, checked and ready. */
export interface PreparedIssuer {
  readonly configuration: JwtConfiguration;
  readonly expressions: JwtExpressions;
}

/** Whose tokens are accepted, checked and ready. */
export interface JwtAuthentication {
  readonly issuers: readonly PreparedIssuer[];
  /** What tokens may be signed with. */
  readonly algorithms: readonly string[];
  /** Those of service accounts are not to be had from elsewhere. */
  readonly disallowedIssuers: readonly string[];
  /** Where it was read, with what was in there; it is read again when it changes. */
  readonly file?: { readonly path: string; readonly text: string; readonly anonymous?: AnonymousConfiguration };
}

export type JwtAuthenticationOptions = Omit<JwtAuthentication, 'issuers'>;

/** Checks a configuration. Throws an Error with all that is wrong with it, in upstream's words. */
export async function prepareJwtAuthentication(
  configuration: AuthenticationConfiguration,
  options: JwtAuthenticationOptions,
): Promise<JwtAuthentication> {
  const compiler = await loadExpressionCompiler(configuration);
  const errors = validateAuthenticationConfiguration(configuration, compiler, []);
  if (errors.length > 0) throw new Error(`invalid authentication configuration: ${aggregate(errors)}`);
  for (const algorithm of options.algorithms)
    if (configuration.jwt.length > 0 && !signingAlgorithms.includes(algorithm))
      throw new Error(`oidc: unsupported signing alg: ${quote(algorithm)}`);
  return { ...options, issuers: await prepareIssuers(configuration, options.disallowedIssuers) };
}

/** Throws an Error for what is valid in itself, but not here. */
export async function prepareIssuers(
  configuration: AuthenticationConfiguration,
  disallowedIssuers: readonly string[],
): Promise<PreparedIssuer[]> {
  const compiler = await loadExpressionCompiler(configuration);
  return configuration.jwt.map((jwt) => {
    const { errors, expressions } = compileJwt(jwt, compiler, disallowedIssuers);
    if (errors.length > 0) throw new Error(aggregate(errors));
    // There is no egress selector to look anything up in.
    if (jwt.issuer.egressSelectorType !== '')
      throw new Error(`oidc: egress lookup required with egress selector type ${quote(jwt.issuer.egressSelectorType)}`);
    return { configuration: jwt, expressions };
  });
}
