import type { UserInfo } from '@coxswain/api';
import type { AuthenticationConfiguration, JwtConfiguration } from './authentication-configuration.ts';
import type { Claims } from './claims.ts';

/** A CEL expression over the claims of a token. */
export interface ClaimExpression {
  readonly text: string;
  /** Whether the expression selects the claim anywhere. */
  uses(claim: string): boolean;
  /** Resolves to a string, boolean, null or list of strings; other values and items are undefined. May reject. */
  evaluate(claims: Claims): Promise<unknown>;
}

/** A CEL expression over the user that the claims were mapped to. */
export interface UserExpression {
  readonly text: string;
  evaluate(user: UserInfo): Promise<unknown>;
}

export interface ExpressionCompiler {
  claims(text: string, mustBeBoolean: boolean): ClaimExpression;
  user(text: string): UserExpression;
}

const hasExpressions = ({ claimMappings, claimValidationRules, userValidationRules }: JwtConfiguration): boolean =>
  claimMappings.username.expression !== '' ||
  claimMappings.groups.expression !== '' ||
  claimMappings.uid.expression !== '' ||
  claimMappings.extra.length > 0 ||
  userValidationRules.length > 0 ||
  claimValidationRules.some(({ expression }) => expression !== '');

/** Imports the CEL implementation only when the configuration has expressions. */
export async function loadExpressionCompiler({ jwt }: AuthenticationConfiguration): Promise<ExpressionCompiler> {
  return jwt.some(hasExpressions) ? (await import('./claim-expressions.ts')).celExpressions : unneeded;
}

const unneeded: ExpressionCompiler = {
  claims: () => never(),
  user: () => never(),
};

function never(): never {
  throw new Error('there are no expressions');
}
