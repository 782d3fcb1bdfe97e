import { isJsonObject } from '@coxswain/apimachinery';
import { internalFormOf } from '../../../strategy/internal-form.ts';
import { coreInternalTypes } from './core-types.ts';
import { internalTypes } from './pod-types.ts';

type Json = Readonly<Record<string, unknown>>;

/** The value with the names, the order and the nulls that upstream's messages show of a value of this type. */
export const internalForm: (type: string, value: object) => Json = internalFormOf(internalTypes + coreInternalTypes);

/** A pod's spec, ready to be printed as one: some of what the API has in it stands in its security context. */
export function withHostFields(spec: object): object {
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers, securityContext } = spec as Json;
  const host = { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers };
  return { ...spec, securityContext: { ...(isJsonObject(securityContext) ? securityContext : {}), ...host } };
}
