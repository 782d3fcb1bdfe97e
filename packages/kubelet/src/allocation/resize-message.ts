import type { Container, Pod, ResourceRequirements } from '@coxswain/api/core/v1';

/** Returns the message of a resize event: the resources of all containers as the JSON that Go writes. */
export function resizeMessage(what: string, { spec }: Pod, generation: number, error = ''): string {
  const summary = {
    ...(spec?.initContainers && { initContainers: spec.initContainers.map(summaryOf) }),
    containers: spec?.containers.map(summaryOf),
    generation,
    ...(error !== '' && { error }),
  };
  return `Pod resize ${what}: ${JSON.stringify(summary)}`;
}

const summaryOf = ({ name, resources = {} }: Container) => ({ name, resources: inGoOrder(resources) });

function inGoOrder({ limits, requests, claims }: ResourceRequirements): ResourceRequirements {
  return {
    ...(limits && { limits: sorted(limits) }),
    ...(requests && { requests: sorted(requests) }),
    ...(claims && { claims }),
  };
}

const sorted = (list: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(list).sort(([a], [b]) => (a < b ? -1 : 1)));
