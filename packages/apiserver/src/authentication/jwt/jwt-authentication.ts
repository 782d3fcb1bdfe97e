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

/** A validated issuer with its compiled expressions. */
export interface PreparedIssuer {
  readonly configuration: JwtConfiguration;
  readonly expressions: JwtExpressions;
}

/** The validated configuration of JWT authentication. */
export interface JwtAuthentication {
  readonly issuers: readonly PreparedIssuer[];
  /** `--oidc-signing-algs`: the accepted signature algorithms. */
  readonly algorithms: readonly string[];
  /** The issuers of service account tokens, which must not be configured as JWT issuers. */
  readonly disallowedIssuers: readonly string[];
  /** The configuration file with its content at start. The file is reloaded when it changes. */
  readonly file?: { readonly path: string; readonly text: string; readonly anonymous?: AnonymousConfiguration };
}

export type JwtAuthenticationOptions = Omit<JwtAuthentication, 'issuers'>;

/** Validates a configuration. Throws an Error with all problems, in upstream's messages. */
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

/** Compiles the issuers. Throws an Error for a disallowed issuer, or one that needs an egress selector. */
export async function prepareIssuers(
  configuration: AuthenticationConfiguration,
  disallowedIssuers: readonly string[],
): Promise<PreparedIssuer[]> {
  const compiler = await loadExpressionCompiler(configuration);
  return configuration.jwt.map((jwt) => {
    const { errors, expressions } = compileJwt(jwt, compiler, disallowedIssuers);
    if (errors.length > 0) throw new Error(aggregate(errors));
    // Egress selectors are not supported, so none can be looked up.
    if (jwt.issuer.egressSelectorType !== '')
      throw new Error(`oidc: egress lookup required with egress selector type ${quote(jwt.issuer.egressSelectorType)}`);
    return { configuration: jwt, expressions };
  });
}
