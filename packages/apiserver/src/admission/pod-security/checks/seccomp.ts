import { ownEntry, quote } from '@coxswain/apimachinery';
import {
  type Check,
  type CheckPod,
  containersOf,
  containersThat,
  contextsOf,
  namedContainers,
  plural,
  quoted,
  settersOf,
  sortedSet,
  unlessWindows,
} from './check.ts';

const reason = 'seccompProfile';
const podAnnotation = 'seccomp.security.alpha.kubernetes.io/pod';
const containerAnnotationPrefix = 'container.seccomp.security.alpha.kubernetes.io/';

const isGoodAnnotation = (value: string): boolean =>
  value === 'runtime/default' || value === 'docker/default' || value.startsWith('localhost/');

/** For versions before the field `seccompProfile`. */
const checkAnnotations: CheckPod = ({ metadata, spec }) => {
  const keys = [podAnnotation, ...containersOf(spec).map(({ name }) => `${containerAnnotationPrefix}${name}`)];
  const bad = sortedSet(
    keys.flatMap((key) => {
      const value = ownEntry(metadata?.annotations, key);
      return value === undefined || isGoodAnnotation(value) ? [] : [`${key}=${quote(value)}`];
    }),
  );
  return bad.length > 0
    ? { reason, detail: `forbidden ${plural(bad.length, 'annotation')} ${bad.join(', ')}` }
    : undefined;
};

const isGoodType = (type: string): boolean => type === 'RuntimeDefault' || type === 'Localhost';

const checkTypes: CheckPod = ({ spec }) => {
  const setters = settersOf(spec, ({ seccompProfile }) => !!seccompProfile && !isGoodType(seccompProfile.type));
  if (!setters) return undefined;
  const types = contextsOf(spec).flatMap(({ seccompProfile }) => seccompProfile?.type ?? []);
  const bad = sortedSet(types.filter((type) => !isGoodType(type)));
  return { reason, detail: `${setters} must not set securityContext.seccompProfile.type to ${quoted(bad)}` };
};

const checkRestricted: CheckPod = (pod) => {
  const { spec } = pod;
  const bad = checkTypes(pod);
  if (bad || spec.securityContext?.seccompProfile) return bad;
  const silent = containersThat(spec, ({ securityContext }) => !securityContext?.seccompProfile);
  if (silent.length === 0) return undefined;
  const must = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
  return { reason, detail: `pod or ${namedContainers(silent)} ${must}` };
};

export const seccompProfileBaseline: Check = {
  id: 'seccompProfile_baseline',
  level: 'baseline',
  versions: [
    { since: 0, check: checkAnnotations },
    { since: 19, check: checkTypes },
  ],
};

export const seccompProfileRestricted: Check = {
  id: 'seccompProfile_restricted',
  level: 'restricted',
  versions: [
    { since: 19, check: checkRestricted },
    { since: 25, check: unlessWindows(checkRestricted) },
  ],
  replaces: 'seccompProfile_baseline',
};
