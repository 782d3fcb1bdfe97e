import type { APIService, APIServiceCondition } from '@coxswain/api/apiregistration/v1';
import { isConflict, isNotFound, timeFromDate } from '@coxswain/apimachinery';
import type { InternalClient } from '../registry/lister.ts';
import type { Availability } from './availability.ts';

/** Of what this server has itself. */
export const localAvailability: Availability = {
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
};

export const availableCondition = ({ status }: APIService): APIServiceCondition | undefined =>
  status?.conditions?.find(({ type }) => type === 'Available');

/** The APIService with that condition; undefined when it has it already. */
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

/** Somebody else may have been quicker, which is told and leads to another look. */
export async function writeStatus(client: InternalClient, service: APIService): Promise<void> {
  try {
    await client.update('apiregistration.k8s.io', 'apiservices', service, { subresource: 'status' });
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}
