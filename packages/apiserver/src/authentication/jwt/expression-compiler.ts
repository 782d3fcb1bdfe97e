import type { UserInfo } from '@coxswain/api';
import type { AuthenticationConfiguration, JwtConfiguration } from './authentication-configuration.ts';
import type { Claims } from './claims.ts';

/** An expression over what a token says. */
export interface ClaimExpression {
  readonly text: string;
  /** Whether it selects the claim, wherever. */
  uses(claim: string): boolean;
  /** A string, a boolean, null or a list of strings; undefined, also within a list, is anything else. Throws an Error. */
  evaluate(claims: Claims): Promise<unknown>;
}

/** An expression over the user that was made of it. */
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

/** The language is only loaded where it is needed. */
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
