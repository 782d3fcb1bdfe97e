import {
  type Check,
  type CheckPod,
  containersOf,
  namedContainers,
  type PodLike,
  quoted,
  sortedSet,
  unlessWindows,
} from './check.ts';

const byDefault: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

/** Describes the forbidden capabilities that containers add; undefined when there are none. */
function forbiddenAdditions({ spec }: PodLike, mayAdd: (capability: string) => boolean): string | undefined {
  const bad = containersOf(spec).flatMap(({ name, securityContext }) => {
    const capabilities = (securityContext?.capabilities?.add ?? []).filter((capability) => !mayAdd(capability));
    return capabilities.length > 0 ? [{ name, capabilities }] : [];
  });
  if (bad.length === 0) return undefined;
  const capabilities = sortedSet(bad.flatMap((container) => container.capabilities));
  const who = namedContainers(bad.map(({ name }) => name));
  return `${who} must not include ${quoted(capabilities)} in securityContext.capabilities.add`;
}

const checkBaseline: CheckPod = (pod) => {
  const detail = forbiddenAdditions(pod, (capability) => byDefault.has(capability));
  return detail === undefined ? undefined : { reason: 'non-default capabilities', detail };
};

const checkRestricted: CheckPod = (pod) => {
  const keeping = containersOf(pod.spec).filter(
    ({ securityContext }) => !securityContext?.capabilities?.drop?.includes('ALL'),
  );
  const additions = forbiddenAdditions(pod, (capability) => capability === 'NET_BIND_SERVICE');
  if (keeping.length === 0 && additions === undefined) return undefined;
  const who = namedContainers(keeping.map(({ name }) => name));
  const details = [
    ...(keeping.length > 0 ? [`${who} must set securityContext.capabilities.drop=["ALL"]`] : []),
    ...(additions === undefined ? [] : [additions]),
  ];
  return { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

export const capabilitiesBaseline: Check = {
  id: 'capabilities_baseline',
  level: 'baseline',
  versions: [{ since: 0, check: checkBaseline }],
};

export const capabilitiesRestricted: Check = {
  id: 'capabilities_restricted',
  level: 'restricted',
  versions: [
    { since: 22, check: checkRestricted },
    { since: 25, check: unlessWindows(checkRestricted) },
  ],
  replaces: 'capabilities_baseline',
};
