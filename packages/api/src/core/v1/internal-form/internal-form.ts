import { isJsonObject } from '@coxswain/apimachinery';
import { internalFormOf } from '../../../strategy/internal-form.ts';
import { coreInternalTypes } from './core-types.ts';
import { internalTypes } from './pod-types.ts';

type Json = Readonly<Record<string, unknown>>;

/** Converts a value of this type into the form of upstream's messages: with Go's names, in Go's order, nulls included. */
export const internalForm: (type: string, value: object) => Json = internalFormOf(internalTypes + coreInternalTypes);

/** Returns a pod's spec with its host fields moved into the security context, as in upstream's internal type. */
export function withHostFields(spec: object): object {
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers, securityContext } = spec as Json;
  const host = { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers };
  return { ...spec, securityContext: { ...(isJsonObject(securityContext) ? securityContext : {}), ...host } };
}
