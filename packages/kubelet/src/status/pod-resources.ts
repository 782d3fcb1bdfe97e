import { podRequests } from '@coxswain/api';
import type { Container, Pod, PodStatus } from '@coxswain/api/core/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';
import { isSidecar } from '../containers/restart-rules.ts';

type Amounts = Map<string, Quantity>;

/** What the pod as a whole has of the node: what its containers ask for together, unless it says so itself. */
export function podResourcesStatus(pod: Pod): Pick<PodStatus, 'allocatedResources' | 'resources'> {
  const requests = listOf(podRequests(pod));
  const limits = { ...listOf(containerLimits(pod)), ...pod.spec?.resources?.limits };
  const has = (list: object): boolean => Object.keys(list).length > 0;
  return {
    ...(has(requests) && { allocatedResources: requests }),
    resources: { ...(has(limits) && { limits }), ...(has(requests) && { requests }) },
  };
}

/** Those that run side by side are added up; an init container may need more than all of them, beside the sidecars before it. */
function containerLimits({ spec }: Pod): Amounts {
  const total: Amounts = new Map();
  const sidecars: Amounts = new Map();
  const most: Amounts = new Map();
  for (const container of spec?.containers ?? []) add(total, container);
  for (const container of spec?.initContainers ?? []) {
    if (isSidecar(container)) {
      add(total, container);
      raise(most, add(sidecars, container));
    } else raise(most, add(new Map(sidecars), container));
  }
  raise(total, most);
  return total;
}

function add(amounts: Amounts, { resources }: Container): Amounts {
  for (const [name, text] of Object.entries(resources?.limits ?? {})) {
    const quantity = Quantity.parse(text);
    amounts.set(name, amounts.get(name)?.add(quantity) ?? quantity);
  }
  return amounts;
}

function raise(amounts: Amounts, least: Amounts): void {
  for (const [name, quantity] of least) {
    const known = amounts.get(name);
    if (!known || quantity.cmp(known) > 0) amounts.set(name, quantity);
  }
}

const listOf = (amounts: ReadonlyMap<string, Quantity>): Record<string, string> =>
  Object.fromEntries([...amounts].map(([name, quantity]) => [name, String(quantity)]));
