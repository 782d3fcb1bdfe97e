import { type GroupResource, type KubernetesObject, Quantity } from '@coxswain/apimachinery';
import type { ResourceQuotaSpec, ScopedResourceSelectorRequirement } from '../generated/core/v1.ts';
import type { Amounts } from './amounts.ts';

/** A condition on the objects that a quota counts. */
export type Scope = ScopedResourceSelectorRequirement;

/** The parts of a write that quotas depend on. */
interface QuotaWrite {
  readonly operation: string;
  /** Empty for the main resource. */
  readonly subresource: string;
  readonly object?: KubernetesObject | undefined;
  readonly oldObject?: KubernetesObject | undefined;
}

/** Computes the quota usage of the objects of one resource. */
export interface Evaluator {
  readonly groupResource: GroupResource;
  /** Reports whether a write can change the usage. */
  handles(write: QuotaWrite): boolean;
  /** Reports whether it measures the resource that a quota has under this name. */
  measures(name: string): boolean;
  /** Returns the usage of an object, for everything that it measures. */
  usage(object: KubernetesObject): Amounts;
  /** Absent: no quota with scopes applies to these objects. */
  isInScope?(scope: Scope, object: KubernetesObject): boolean;
  /** Returns an error message for an object that lacks requests or limits for these names; undefined when it is complete. */
  missing?(names: readonly string[], object: KubernetesObject): string | undefined;
}

export const one = Quantity.of(1);
export const zero = Quantity.of(0);

/** Returns the quota name for the number of objects: `count/deployments.apps`. */
export const countName = (groupResource: GroupResource): string => `count/${groupResource}`;

/** Returns an evaluator that only counts objects. `alias` is the legacy quota name for the count. */
export function objectCount(groupResource: GroupResource, alias?: string): Evaluator {
  const names = [countName(groupResource), ...(alias === undefined ? [] : [alias])];
  return {
    groupResource,
    handles: ({ operation, subresource }) => operation === 'CREATE' && subresource === '',
    measures: (name) => names.includes(name),
    usage: () => new Map(names.map((name) => [name, one])),
  };
}

/** Returns all scopes of a quota, from both fields. */
export const scopesOf = ({ scopes, scopeSelector }: ResourceQuotaSpec): Scope[] => [
  ...(scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' }) as Scope),
  ...(scopeSelector?.matchExpressions ?? []),
];

/** Returns those of the scopes that an object is in. */
export const matchingScopes = (evaluator: Evaluator, object: KubernetesObject, scopes: readonly Scope[]): Scope[] =>
  scopes.filter((scope) => evaluator.isInScope?.(scope, object));

/** Reports whether an object is in all scopes; true without scopes. */
export const isInScopes = (evaluator: Evaluator, object: KubernetesObject, scopes: readonly Scope[]): boolean =>
  scopes.every((scope) => evaluator.isInScope?.(scope, object));

/**
 * Reports whether the scope selects an object with these names (of a class). Without names, only DoesNotExist and NotIn
 * can select it. Differs from upstream: values that are no valid label values are compared too.
 */
export function selects({ operator, values }: Scope, names: readonly string[]): boolean {
  switch (operator) {
    case 'Exists':
      return names.length > 0;
    case 'DoesNotExist':
      return names.length === 0;
    case 'In':
      return names.some((name) => values?.includes(name));
    case 'NotIn':
      return names.length === 0 || names.some((name) => !values?.includes(name));
    default:
      return false;
  }
}
