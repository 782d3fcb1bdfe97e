import type { Container, PodSecurityContext, PodSpec, SecurityContext } from '@coxswain/api/core/v1';
import type { ObjectMeta } from '@coxswain/apimachinery';

/** A pod or pod template. */
export interface PodLike {
  readonly metadata?: ObjectMeta | undefined;
  readonly spec: PodSpec;
}

/** A violation, with a short and a long description. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** Returns the violation of a pod, if any. */
export type CheckPod = (pod: PodLike) => Violation | undefined;

/** A check of a level in all its versions. */
export interface Check {
  readonly id: string;
  readonly level: 'baseline' | 'restricted';
  /** By the minor version that introduced it, the earliest first. */
  readonly versions: readonly { readonly since: number; readonly check: CheckPod }[];
  /** The ID of the baseline check that is redundant on levels with this one. */
  readonly replaces?: string;
}

/** The common fields of all types of containers. */
export type AnyContainer = Pick<
  Container,
  'name' | 'ports' | 'livenessProbe' | 'readinessProbe' | 'startupProbe' | 'lifecycle' | 'securityContext'
>;

/** All containers of a pod, in the order of messages. */
export const containersOf = ({ initContainers, containers, ephemeralContainers }: PodSpec): AnyContainer[] => [
  ...(initContainers ?? []),
  ...(containers ?? []),
  ...(ephemeralContainers ?? []),
];

/** The names of the containers for which `is` returns true. */
export const containersThat = (spec: PodSpec, is: (container: AnyContainer) => boolean): string[] =>
  containersOf(spec).flatMap((container) => (is(container) ? [container.name] : []));

/** `"a", "b"`, without escapes. */
export const quoted = (texts: Iterable<string>): string => [...texts].map((text) => `"${text}"`).join(', ');

/** The values, sorted and without duplicates. */
export const sortedSet = (values: Iterable<string>): string[] => [...new Set(values)].sort();

export const plural = (count: number, one: string, many = `${one}s`): string => (count === 1 ? one : many);

/** `containers "a", "b"` */
export const namedContainers = (names: readonly string[]): string =>
  `${plural(names.length, 'container')} ${quoted(names)}`;

type Context = SecurityContext | PodSecurityContext;

/** Names the pod and the containers with a bad security context: `pod and container "a"`; empty without any. */
export function settersOf(spec: PodSpec, isBad: (context: Context) => boolean): string {
  const is = (context: Context | undefined): boolean => context !== undefined && isBad(context);
  const bad = containersThat(spec, ({ securityContext }) => is(securityContext));
  return [...(is(spec.securityContext) ? ['pod'] : []), ...(bad.length > 0 ? [namedContainers(bad)] : [])].join(
    ' and ',
  );
}

/** All security contexts, with the pod's first. */
export const contextsOf = (spec: PodSpec): Context[] =>
  [spec, ...containersOf(spec)].flatMap(({ securityContext }) => securityContext ?? []);

/** The same check, which skips Windows pods. */
export const unlessWindows =
  (check: CheckPod): CheckPod =>
  (pod) =>
    pod.spec.os?.name === 'windows' ? undefined : check(pod);

/** The same check, which skips pods with a user namespace. */
export const unlessOwnUsers =
  (check: CheckPod): CheckPod =>
  (pod) =>
    pod.spec.hostUsers === false ? undefined : check(pod);
