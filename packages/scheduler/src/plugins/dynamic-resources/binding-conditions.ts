import type { AllocatedDeviceStatus, DeviceRequestAllocationResult, ResourceClaim } from '@coxswain/api/resource/v1';
import { dateFromTime } from '@coxswain/apimachinery/time';

/** A binding failure condition of a device is true. */
export class DeviceBindingFailed extends Error {}
/** The binding conditions of a device did not become true in time. */
export class DeviceBindingTimeout extends Error {}

/** Whether any allocated device has binding conditions. */
export const hasBindingConditions = (claim: ResourceClaim): boolean => devicesToPrepare(claim).length > 0;

/**
 * Whether the binding conditions of all allocated devices are true. Throws DeviceBindingFailed when a failure condition
 * is true.
 */
export function isReadyForBinding(claim: ResourceClaim): boolean {
  if (!claim.status?.allocation) return false;
  for (const result of devicesToPrepare(claim)) {
    const status = statusOf(claim, result);
    if (!status) return false;
    for (const type of result.bindingFailureConditions ?? []) {
      const failed = status.conditions?.find((condition) => condition.type === type);
      if (failed?.status === 'True') {
        const { reason, message } = failed;
        throw new DeviceBindingFailed(
          `device binding failed: claim=${claim.metadata.name}, reason=${reason}, message=${JSON.stringify(message)}`,
        );
      }
    }
    const isTrue = (type: string): boolean =>
      status.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
    if (!result.bindingConditions?.every(isTrue)) return false;
  }
  return true;
}

/** Whether the binding conditions have been waited for longer than the timeout. */
export function isBindingOverdue(claim: ResourceClaim, timeoutMs: number, now: number): boolean {
  const { allocationTimestamp } = claim.status?.allocation ?? {};
  if (!allocationTimestamp || !hasBindingConditions(claim)) return false;
  return dateFromTime(allocationTimestamp).getTime() + timeoutMs < now;
}

export const devicesToPrepare = ({ status }: ResourceClaim): DeviceRequestAllocationResult[] =>
  (status?.allocation?.devices?.results ?? []).filter(({ bindingConditions }) => bindingConditions?.length);

function statusOf(
  { status }: ResourceClaim,
  { driver, pool, device }: DeviceRequestAllocationResult,
): AllocatedDeviceStatus | undefined {
  return status?.devices?.find((each) => each.driver === driver && each.pool === pool && each.device === device);
}
