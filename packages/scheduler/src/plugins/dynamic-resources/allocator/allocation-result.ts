import type { NodeSelector, NodeSelectorRequirement } from '@coxswain/api/core/v1';
import type {
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceRequestAllocationResult,
  ResourceClaim,
} from '@coxswain/api/resource/v1';
import type { ChosenDevice } from './device-search.ts';
import type { PreparedOption } from './request-option.ts';

/**
 * Returns the allocation of a claim in the form of its status. `chosenOptions[i]` is the option chosen for its i-th
 * request.
 */
export function allocationResult(
  claim: ResourceClaim,
  chosen: readonly ChosenDevice[],
  chosenOptions: readonly PreparedOption[],
  { nodeName, newShareID }: { readonly nodeName: string; readonly newShareID: () => string },
): AllocationResult {
  const results = chosen.map((each) => deviceResult(each, newShareID));
  const config = [...configOfClasses(chosenOptions), ...configOfClaim(claim, chosenOptions)];
  const nodeSelector = nodeSelectorOf(chosen, nodeName);
  return {
    devices: { ...(results.length > 0 && { results }), ...(config.length > 0 && { config }) },
    ...(nodeSelector && { nodeSelector }),
  };
}

function deviceResult(
  { option, entry, consumedCapacity }: ChosenDevice,
  newShareID: () => string,
): DeviceRequestAllocationResult {
  const { device, slice } = entry;
  const { bindingConditions, bindingFailureConditions } = device;
  const { tolerations } = option;
  return {
    request: option.fullName,
    driver: slice.spec.driver,
    pool: slice.spec.pool.name,
    device: device.name,
    ...(option.adminAccess && { adminAccess: true }),
    ...(tolerations?.length && { tolerations: [...tolerations] }),
    ...(bindingConditions?.length && { bindingConditions: [...bindingConditions] }),
    ...(bindingFailureConditions?.length && { bindingFailureConditions: [...bindingFailureConditions] }),
    ...(entry.isShareable && { shareID: newShareID() }),
    ...(consumedCapacity?.size && {
      consumedCapacity: Object.fromEntries(Array.from(consumedCapacity, ([name, amount]) => [name, `${amount}`])),
    }),
  };
}

/** One entry per class, for all requests that use it. */
function configOfClasses(options: readonly PreparedOption[]): DeviceAllocationConfiguration[] {
  const requestsByClass = new Map<PreparedOption['deviceClass'], string[]>();
  for (const { deviceClass, fullName } of options) {
    const requests = requestsByClass.get(deviceClass);
    if (requests) requests.push(fullName);
    else requestsByClass.set(deviceClass, [fullName]);
  }
  return [...requestsByClass].flatMap(([{ spec }, requests]) =>
    (spec.config ?? []).map(({ opaque }) => ({
      source: 'FromClass' as const,
      requests: [...requests],
      ...(opaque && { opaque }),
    })),
  );
}

/** As upstream: a configuration is repeated for each request that it names. */
function configOfClaim({ spec }: ResourceClaim, options: readonly PreparedOption[]): DeviceAllocationConfiguration[] {
  return (spec.devices?.config ?? []).flatMap(({ requests: named, opaque }) => {
    const requests = named ?? [];
    const config = {
      source: 'FromClaim' as const,
      ...(requests.length > 0 && { requests: [...requests] }),
      ...(opaque && { opaque }),
    };
    if (requests.length === 0) return [config];
    return options
      .filter(({ requestName, fullName }) => requests.includes(requestName) || requests.includes(fullName))
      .map(() => config);
  });
}

/** Returns where the devices can be used; undefined for all nodes. */
function nodeSelectorOf(chosen: readonly ChosenDevice[], nodeName: string): NodeSelector | undefined {
  const matchFields: NodeSelectorRequirement[] = [];
  const matchExpressions: NodeSelectorRequirement[] = [];
  for (const { device, slice } of chosen.map(({ entry }) => entry)) {
    const where = slice.spec.perDeviceNodeSelection ? device : slice.spec;
    if (where.nodeName !== undefined || device.bindsToNode) return onlyNode(nodeName);
    const [term] = where.nodeSelector?.nodeSelectorTerms ?? [];
    addMissing(matchFields, term?.matchFields);
    addMissing(matchExpressions, term?.matchExpressions);
  }
  if (matchFields.length === 0 && matchExpressions.length === 0) return undefined;
  return {
    nodeSelectorTerms: [
      { ...(matchExpressions.length > 0 && { matchExpressions }), ...(matchFields.length > 0 && { matchFields }) },
    ],
  };
}

const onlyNode = (name: string): NodeSelector => ({
  nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] }],
});

function addMissing(
  known: NodeSelectorRequirement[],
  more: readonly NodeSelectorRequirement[] | null | undefined,
): void {
  for (const requirement of more ?? []) if (!known.some((other) => isSame(other, requirement))) known.push(requirement);
}

/** The order of values does not matter. */
function isSame(a: NodeSelectorRequirement, b: NodeSelectorRequirement): boolean {
  if (a.key !== b.key || a.operator !== b.operator) return false;
  const values = new Set(a.values);
  const others = new Set(b.values);
  return values.size === others.size && [...values].every((value) => others.has(value));
}
