import type { Container, Pod } from '@coxswain/api/core/v1';

/** Returns the containers of a pod of every kind, in the order in which upstream visits them. */
export const allContainers = ({ spec }: Pod): readonly Container[] => [
  ...(spec?.initContainers ?? []),
  ...(spec?.containers ?? []),
  ...(spec?.ephemeralContainers ?? []),
];
