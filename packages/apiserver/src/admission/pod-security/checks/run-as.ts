import { type Check, type CheckPod, containersThat, namedContainers, settersOf, unlessOwnUsers } from './check.ts';

const checkNonRoot: CheckPod = ({ spec }) => {
  const reason = 'runAsNonRoot != true';
  const setters = settersOf(spec, ({ runAsNonRoot }) => runAsNonRoot === false);
  if (setters) return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  if (spec.securityContext?.runAsNonRoot) return undefined;
  const silent = containersThat(spec, ({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  return silent.length > 0
    ? { reason, detail: `pod or ${namedContainers(silent)} must set securityContext.runAsNonRoot=true` }
    : undefined;
};

const checkUser: CheckPod = ({ spec }) => {
  const setters = settersOf(spec, ({ runAsUser }) => runAsUser === 0);
  return setters ? { reason: 'runAsUser=0', detail: `${setters} must not set runAsUser=0` } : undefined;
};

const restricted = (id: string, check: CheckPod, since: number): Check => ({
  id,
  level: 'restricted',
  versions: [
    { since, check },
    { since: 35, check: unlessOwnUsers(check) },
  ],
});

export const runAsNonRoot = restricted('runAsNonRoot', checkNonRoot, 0);
export const runAsUser = restricted('runAsUser', checkUser, 23);
