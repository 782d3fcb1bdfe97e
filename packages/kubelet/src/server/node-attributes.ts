import type { UserInfo } from '@coxswain/api';
import type { AuthorizationAttributes } from '@coxswain/component-base/authorization';

const verbs: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

/** Subresources of Node that are permissions for some paths only, beside `proxy`, which is one for all of them. */
const fineGrained: readonly (readonly [path: string, subresource: string])[] = [
  ['/pods', 'pods'],
  ['/healthz', 'healthz'],
  ['/configz', 'configz'],
  ['/runningpods', 'pods'],
];

/** Paths for which `proxy` is no permission. */
const separate: readonly (readonly [path: string, subresource: string])[] = [
  ['/stats', 'stats'],
  ['/metrics', 'metrics'],
  ['/logs', 'log'],
  ['/checkpoint', 'checkpoint'],
  ['/statusz', 'statusz'],
  ['/flagz', 'configz'],
];

export interface NodeRequest {
  readonly nodeName: string;
  readonly user: UserInfo;
  readonly method: string;
  /** Percent-decoded. */
  readonly path: string;
}

/** Returns the permissions of which a client needs one, in the order in which they are tried. */
export function nodeAttributes({ nodeName, user, method, path }: NodeRequest): AuthorizationAttributes[] {
  const of = (table: typeof separate): string[] =>
    table.filter(([root]) => isSubpath(path, root)).map(([, subresource]) => subresource);
  const [only = 'proxy'] = of(separate);
  return [...of(fineGrained).slice(0, 1), only].map((subresource) => ({
    user,
    verb: verbs.get(method) ?? '',
    resourceRequest: true,
    apiGroup: '',
    apiVersion: 'v1',
    resource: 'nodes',
    subresource,
    namespace: '',
    name: nodeName,
    path,
  }));
}

const isSubpath = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`);
