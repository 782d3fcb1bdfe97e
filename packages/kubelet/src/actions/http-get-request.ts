import type { Container, HTTPGetAction } from '@coxswain/api/core/v1';
import { versionInfo } from '@coxswain/component-base/version';
import { type HttpTarget, httpTarget } from './http-target.ts';
import { resolveContainerPort } from './resolve-container-port.ts';

/** A GET request. */
export interface HttpGetRequest {
  readonly target: HttpTarget;
  /** Instead of the target's, in the Host header; empty for none. */
  readonly host: string;
  /** In their order, with canonical names, a name as often as it has values; without Host. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export interface HttpGetContext {
  readonly container: Container;
  readonly podIP: string;
  /** For the User-Agent, which is `kube-probe/1.36` for example. */
  readonly purpose: 'probe' | 'lifecycle';
}

/** Headers that Go's client does not take from the caller; Host is in its own field. */
const ownHeaders: ReadonlySet<string> = new Set(['Host', 'Content-Length', 'Transfer-Encoding', 'Trailer']);

/**
 * Returns the request of an HTTPGetAction. It goes to the pod's address unless the action has a host. Throws, in Go's words, for a port that
 * the container does not have and a host that is none.
 */
export function httpGetRequest(
  { scheme, host, port, path, httpHeaders }: HTTPGetAction,
  { container, podIP, purpose }: HttpGetContext,
): HttpGetRequest {
  const number = resolveContainerPort(port, container);
  const target = httpTarget((scheme ?? 'HTTP').toLowerCase() || 'http', host || podIP, number, path ?? '');
  const given = (httpHeaders ?? []).map(({ name, value }) => [canonicalName(name), value ?? ''] as const);
  const first = (name: string): string | undefined => given.find(([each]) => each === name)?.[1];
  const agent = first('User-Agent') ?? `kube-${purpose}/${versionInfo.major}.${versionInfo.minor}`;
  const accept = first('Accept');
  const headers = given.filter(([name]) => !ownHeaders.has(name) && name !== 'User-Agent' && name !== 'Accept');
  return {
    target,
    host: first('Host') ?? '',
    headers: [
      // An empty one of these two says that there is to be none.
      ...(agent === '' ? [] : [['User-Agent', agent] as const]),
      ...(accept === undefined ? [['Accept', '*/*'] as const] : []),
      ...(accept ? given.filter(([name]) => name === 'Accept') : []),
      ...headers,
    ],
  };
}

/** Returns `Content-Type` for `content-type`, as Go does. Leaves a name with characters that no header has. */
const canonicalName = (name: string): string =>
  isHeaderName(name) ? name.toLowerCase().replace(/(^|-)[a-z]/g, (character) => character.toUpperCase()) : name;

export const isHeaderName = (name: string): boolean => /^[!#$%&'*+\-.^_`|~\w]+$/.test(name);
