import { type Check, type CheckPod, containersThat, namedContainers, unlessWindows } from './check.ts';

const checkPrivileged: CheckPod = ({ spec }) => {
  const bad = containersThat(spec, ({ securityContext }) => securityContext?.privileged === true);
  return bad.length > 0
    ? { reason: 'privileged', detail: `${namedContainers(bad)} must not set securityContext.privileged=true` }
    : undefined;
};

const checkEscalation: CheckPod = ({ spec }) => {
  const bad = containersThat(spec, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  return bad.length > 0
    ? {
        reason: 'allowPrivilegeEscalation != false',
        detail: `${namedContainers(bad)} must set securityContext.allowPrivilegeEscalation=false`,
      }
    : undefined;
};

export const privileged: Check = {
  id: 'privileged',
  level: 'baseline',
  versions: [{ since: 0, check: checkPrivileged }],
};

export const allowPrivilegeEscalation: Check = {
  id: 'allowPrivilegeEscalation',
  level: 'restricted',
  versions: [
    { since: 8, check: checkEscalation },
    { since: 25, check: unlessWindows(checkEscalation) },
  ],
};
