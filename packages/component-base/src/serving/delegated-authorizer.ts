import type { ClientSet } from '@coxswain/client';
import {
  type AuthorizationAttributes,
  type Authorizer,
  type Decision,
  privilegedGroupAuthorizer,
  ReviewAuthorizer,
  UnionAuthorizer,
} from '../authorization/index.ts';

/** Time limit for a SubjectAccessReview. */
const reviewTimeoutMs = 10_000;

export interface DelegatedAuthorizerOptions {
  /** The API server that reviews access; absent: only `system:masters` and `alwaysAllowPaths` are allowed. */
  readonly clients?: ClientSet;
  /** Paths that are allowed to everybody. A star at the end matches any suffix. */
  readonly alwaysAllowPaths: readonly string[];
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
  readonly now: () => Date;
}

/**
 * Allows everything to `system:masters` and some paths to everybody. Other requests are decided by the API server. Throws an Error for a
 * path with a star before its end.
 */
export function delegatedAuthorizer(options: DelegatedAuthorizerOptions): Authorizer {
  const { clients, alwaysAllowPaths, ...ttls } = options;
  return new UnionAuthorizer([
    privilegedGroupAuthorizer,
    pathAuthorizer(alwaysAllowPaths),
    ...(clients ? [reviewingAuthorizer(clients, ttls)] : []),
  ]);
}

/** Asks the API server by SubjectAccessReview. */
export function reviewingAuthorizer(
  clients: ClientSet,
  ttls: Pick<DelegatedAuthorizerOptions, 'authorizedTtlMs' | 'unauthorizedTtlMs' | 'now'>,
): Authorizer {
  return new ReviewAuthorizer({
    ...ttls,
    failureDecision: 'no opinion',
    review: async (spec) => {
      const answer = await clients.authorization.v1
        .subjectAccessReviews()
        .create({ metadata: {}, spec }, { timeoutMs: reviewTimeoutMs });
      return answer.status;
    },
  });
}

const withoutSlash = (path: string): string => path.replace(/^\//, '');

/** Allows these paths to everybody. Throws like `delegatedAuthorizer`. */
export function pathAuthorizer(allowed: readonly string[]): Authorizer {
  const [exact, prefixes] = [new Set<string>(), [] as string[]];
  for (const path of allowed.map(withoutSlash)) {
    if (path.slice(0, -1).includes('*')) throw new Error(`only trailing * allowed in ${JSON.stringify(path)}`);
    if (path.endsWith('*')) prefixes.push(path.slice(0, -1));
    else exact.add(path);
  }
  const isAllowed = ({ resourceRequest, path }: AuthorizationAttributes): boolean => {
    const bare = withoutSlash(path);
    return !resourceRequest && (exact.has(bare) || prefixes.some((prefix) => bare.startsWith(prefix)));
  };
  return {
    authorize: async (attributes): Promise<Decision> => ({
      decision: isAllowed(attributes) ? 'allow' : 'no opinion',
      reason: '',
    }),
    rulesFor: async () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
  };
}
