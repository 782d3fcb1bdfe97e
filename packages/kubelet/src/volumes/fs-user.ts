import type { Pod } from '@coxswain/api/core/v1';

/** Returns the user who all containers of a pod run as. Undefined if they differ, or if one leaves it to its image. */
export function fsUserOf({ spec }: Pod): number | undefined {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  const users = containers.map(({ securityContext }) => securityContext?.runAsUser ?? spec?.securityContext?.runAsUser);
  const [first, ...others] = users.map((user) => (user === undefined || user === null ? undefined : Number(user)));
  return others.every((user) => user === first) ? first : undefined;
}
