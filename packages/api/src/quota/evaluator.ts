import { type GroupResource, type KubernetesObject, Quantity } from '@coxswain/apimachinery';
import type { ResourceQuotaSpec, ScopedResourceSelectorRequirement } from '../generated/core/v1.ts';
import type { Amounts } from './amounts.ts';

/** A condition on the objects that a quota counts. */
export type Scope = ScopedResourceSelectorRequirement;

/** A write, as far as quotas care. */
interface QuotaWrite {
  readonly operation: string;
  /** Empty for the resource itself. */
  readonly subresource: string;
  readonly object?: KubernetesObject | undefined;
  readonly oldObject?: KubernetesObject | undefined;
}

/** Knows what objects of one resource use of quotas. */
export interface Evaluator {
  readonly groupResource: GroupResource;
  /** Whether a write can change what is used. */
  handles(write: QuotaWrite): boolean;
  /** Whether it measures what a quota has under this name. */
  measures(name: string): boolean;
  /** What an object uses, of everything it measures. */
  usage(object: KubernetesObject): Amounts;
  /** Absent: no quota with scopes is for these objects. */
  isInScope?(scope: Scope, object: KubernetesObject): boolean;
  /** What is wrong with an object that does not say how much it uses of this; undefined when nothing is. */
  missing?(names: readonly string[], object: KubernetesObject): string | undefined;
}

export const one = Quantity.of(1);
export const zero = Quantity.of(0);

/** The name under which any object is counted: `count/deployments.apps`. */
export const countName = (groupResource: GroupResource): string => `count/${groupResource}`;

/** Counts objects, and knows nothing else of them; `alias` is what the count was called before all were counted. */
export function objectCount(groupResource: GroupResource, alias?: string): Evaluator {
  const names = [countName(groupResource), ...(alias === undefined ? [] : [alias])];
  return {
    groupResource,
    handles: ({ operation, subresource }) => operation === 'CREATE' && subresource === '',
    measures: (name) => names.includes(name),
    usage: () => new Map(names.map((name) => [name, one])),
  };
}

/** All scopes of a quota, in whichever way they were written. */
export const scopesOf = ({ scopes, scopeSelector }: ResourceQuotaSpec): Scope[] => [
  ...(scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' }) as Scope),
  ...(scopeSelector?.matchExpressions ?? []),
];

/** Of some scopes, those that an object is in. */
export const matchingScopes = (evaluator: Evaluator, object: KubernetesObject, scopes: readonly Scope[]): Scope[] =>
  scopes.filter((scope) => evaluator.isInScope?.(scope, object));

/** Whether an object is in all of them: always when there are none. */
export const isInScopes = (evaluator: Evaluator, object: KubernetesObject, scopes: readonly Scope[]): boolean =>
  scopes.every((scope) => evaluator.isInScope?.(scope, object));

/**
 * Whether one of the names an object has is what the scope asks for; without names, whether it asks for none.
 * Differs from upstream: values are compared as they are, also where they could be no label's.
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
