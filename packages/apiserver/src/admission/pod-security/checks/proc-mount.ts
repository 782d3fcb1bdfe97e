import {
  type Check,
  type CheckPod,
  containersOf,
  namedContainers,
  quoted,
  sortedSet,
  unlessOwnUsers,
} from './check.ts';

const checkProcMount: CheckPod = ({ spec }) => {
  const bad = containersOf(spec).flatMap(({ name, securityContext }) => {
    const type = securityContext?.procMount;
    return type !== undefined && type !== 'Default' ? [{ name, type }] : [];
  });
  if (bad.length === 0) return undefined;
  const types = sortedSet(bad.map(({ type }) => type));
  const who = namedContainers(bad.map(({ name }) => name));
  return { reason: 'procMount', detail: `${who} must not set securityContext.procMount to ${quoted(types)}` };
};

export const procMountBaseline: Check = {
  id: 'procMount',
  level: 'baseline',
  versions: [
    { since: 0, check: checkProcMount },
    { since: 35, check: unlessOwnUsers(checkProcMount) },
  ],
};

/** This check applies to pods with a user namespace, which the baseline skips. */
export const procMountRestricted: Check = {
  id: 'procMount_restricted',
  level: 'restricted',
  versions: [{ since: 35, check: checkProcMount }],
  replaces: 'procMount',
};
