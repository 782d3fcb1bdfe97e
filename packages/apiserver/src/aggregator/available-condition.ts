import type { APIService, APIServiceCondition } from '@coxswain/api/apiregistration/v1';
import { isConflict, isNotFound, timeFromDate } from '@coxswain/apimachinery';
import type { InternalClient } from '../registry/lister.ts';
import type { Availability } from './availability.ts';

/** The Available condition of APIServices that this server serves itself. */
export const localAvailability: Availability = {
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
};

export const availableCondition = ({ status }: APIService): APIServiceCondition | undefined =>
  status?.conditions?.find(({ type }) => type === 'Available');

/** Returns the APIService with that Available condition; undefined when it already has it. */
export function withAvailability(service: APIService, availability: Availability, now: Date): APIService | undefined {
  const current = availableCondition(service);
  const { status, reason, message } = availability;
  if (current?.status === status && current.reason === reason && current.message === message) return undefined;
  const lastTransitionTime = current?.status === status ? current.lastTransitionTime : timeFromDate(now);
  const condition: APIServiceCondition = {
    type: 'Available',
    ...availability,
    ...(lastTransitionTime && { lastTransitionTime }),
  };
  const others = service.status?.conditions?.filter((one) => one !== current) ?? [];
  return { ...service, status: { ...service.status, conditions: [...others, condition] } };
}

/** Ignores Conflict and NotFound: the change that caused them triggers another check. */
export async function writeStatus(client: InternalClient, service: APIService): Promise<void> {
  try {
    await client.update('apiregistration.k8s.io', 'apiservices', service, { subresource: 'status' });
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}
