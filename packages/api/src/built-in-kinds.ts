import { GroupVersionKind, type KubernetesObject } from '@coxswain/apimachinery';
import { behaviours } from './behaviours.ts';
import type { Defaulter, HubConversion, Strategy } from './strategy/strategy.ts';

const defaulters = new Map<GroupVersionKind, Defaulter<KubernetesObject>>();
const strategies = new Map<GroupVersionKind, Strategy>();
const conversions = new Map<GroupVersionKind, HubConversion>();

for (const { group, version, ...behaviour } of behaviours) {
  const collect = (into: Map<GroupVersionKind, unknown>, from: Readonly<Record<string, unknown>> | undefined) => {
    for (const [kind, value] of Object.entries(from ?? {})) into.set(GroupVersionKind.of(group, version, kind), value);
  };
  collect(defaulters, behaviour.defaults);
  collect(strategies, behaviour.strategies);
  collect(conversions, behaviour.conversions);
}

/** Returns the function that sets the defaults of objects of this version; undefined when the kind has none. */
export const defaulterFor = (gvk: GroupVersionKind): Defaulter<KubernetesObject> | undefined => defaulters.get(gvk);

/** Returns the strategy for creating and updating objects of the kind; `hub` is the kind's hub version (see `Kind.hub`). */
export const strategyFor = (hub: GroupVersionKind): Strategy | undefined => strategies.get(hub);

/** Returns the conversion to and from the hub version; undefined where the versions differ in apiVersion only. */
export const conversionFor = (gvk: GroupVersionKind): HubConversion | undefined => conversions.get(gvk);
