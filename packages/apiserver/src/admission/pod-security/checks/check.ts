import type { Container, PodSecurityContext, PodSpec, SecurityContext } from '@coxswain/api/core/v1';
import type { ObjectMeta } from '@coxswain/apimachinery';

/** A pod, or what a pod is to be made from. */
export interface PodLike {
  readonly metadata?: ObjectMeta | undefined;
  readonly spec: PodSpec;
}

/** What a pod does that it may not: in short, and at length. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** Judges a pod; nothing when it is as it should be. */
export type CheckPod = (pod: PodLike) => Violation | undefined;

/** A rule of a level, in its versions. */
export interface Check {
  readonly id: string;
  readonly level: 'baseline' | 'restricted';
  /** By the minor version from which on they are asked, the earliest first. */
  readonly versions: readonly { readonly since: number; readonly check: CheckPod }[];
  /** The baseline's rule that this one makes pointless, wherever this one is asked. */
  readonly replaces?: string;
}

/** What containers of all sorts have in common. */
export type AnyContainer = Pick<
  Container,
  'name' | 'ports' | 'livenessProbe' | 'readinessProbe' | 'startupProbe' | 'lifecycle' | 'securityContext'
>;

/** All of a pod's containers, in the order in which messages name them. */
export const containersOf = ({ initContainers, containers, ephemeralContainers }: PodSpec): AnyContainer[] => [
  ...(initContainers ?? []),
  ...(containers ?? []),
  ...(ephemeralContainers ?? []),
];

/** The names of those containers. */
export const containersThat = (spec: PodSpec, is: (container: AnyContainer) => boolean): string[] =>
  containersOf(spec).flatMap((container) => (is(container) ? [container.name] : []));

/** `"a", "b"`, without escapes. */
export const quoted = (texts: Iterable<string>): string => [...texts].map((text) => `"${text}"`).join(', ');

/** The values in order, each once. */
export const sortedSet = (values: Iterable<string>): string[] => [...new Set(values)].sort();

export const plural = (count: number, one: string, many = `${one}s`): string => (count === 1 ? one : many);

/** `containers "a", "b"` */
export const namedContainers = (names: readonly string[]): string =>
  `${plural(names.length, 'container')} ${quoted(names)}`;

type Context = SecurityContext | PodSecurityContext;

/** Who of the pod and its containers has a security context that is bad: `pod and container "a"`; empty for nobody. */
export function settersOf(spec: PodSpec, isBad: (context: Context) => boolean): string {
  const is = (context: Context | undefined): boolean => context !== undefined && isBad(context);
  const bad = containersThat(spec, ({ securityContext }) => is(securityContext));
  return [...(is(spec.securityContext) ? ['pod'] : []), ...(bad.length > 0 ? [namedContainers(bad)] : [])].join(
    ' and ',
  );
}

/** The security contexts there are, the pod's first. */
export const contextsOf = (spec: PodSpec): Context[] =>
  [spec, ...containersOf(spec)].flatMap(({ securityContext }) => securityContext ?? []);

/** The same rule, but not for pods of Windows. */
export const unlessWindows =
  (check: CheckPod): CheckPod =>
  (pod) =>
    pod.spec.os?.name === 'windows' ? undefined : check(pod);

/** The same rule, but not for pods whose users are none of the host's. */
export const unlessOwnUsers =
  (check: CheckPod): CheckPod =>
  (pod) =>
    pod.spec.hostUsers === false ? undefined : check(pod);
