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

/** What sets the defaults of an object of this version; undefined when the kind has none. */
export const defaulterFor = (gvk: GroupVersionKind): Defaulter<KubernetesObject> | undefined => defaulters.get(gvk);

/** How objects of the kind are created and changed; `hub` is the kind's hub version (see `Kind.hub`). */
export const strategyFor = (hub: GroupVersionKind): Strategy | undefined => strategies.get(hub);

/** To and from the hub version; undefined where the versions differ in apiVersion only. */
export const conversionFor = (gvk: GroupVersionKind): HubConversion | undefined => conversions.get(gvk);
