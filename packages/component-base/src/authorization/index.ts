/** Authorization: the `Authorizer` interface, and the authorizers that every server can use. Start at `authorizer.ts`. */
export { aggregateMessage } from './aggregate-message.ts';
export type { AuthorizationAttributes, Authorizer, Decision, SubjectRules } from './authorizer.ts';
export { forbidden, withoutMarkup } from './forbidden.ts';
export { type MatchReview, ReviewAuthorizer } from './review-authorizer.ts';
export { alwaysAllow, alwaysDeny, privilegedGroup, privilegedGroupAuthorizer } from './static-authorizers.ts';
export { UnionAuthorizer } from './union-authorizer.ts';
