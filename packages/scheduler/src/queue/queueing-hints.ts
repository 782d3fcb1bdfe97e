import { isWildcard, matchesEvent } from '../events/cluster-events.ts';
import {
  Action,
  type ClusterEvent,
  type ClusterEventWithHint,
  type EventResource,
  type QueueingHintFn,
} from '../framework/cluster-event.ts';
import type { Plugin } from '../framework/plugin.ts';

/** The registration of a plug-in for an event. */
export interface RegisteredHint {
  readonly plugin: string;
  readonly event: ClusterEvent;
  /** Without a hint, pods are retried after every such event. */
  readonly hint: QueueingHintFn | undefined;
}

/** The events for plug-ins without `eventsToRegister`: all events of all kinds that are watched anyway. */
const everything: readonly ClusterEventWithHint[] = [
  'Pod',
  'Node',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'storage.k8s.io/CSINode',
  'storage.k8s.io/CSIDriver',
  'storage.k8s.io/CSIStorageCapacity',
  'storage.k8s.io/StorageClass',
  'resource.k8s.io/ResourceClaim',
  'resource.k8s.io/DeviceClass',
].map((resource) => ({ event: { resource, action: Action.All } }));

/** Returns the registrations of a profile's plug-ins. Plug-ins that cannot reject a pod are ignored. */
export function registeredHints(plugins: Iterable<Plugin>): RegisteredHint[] {
  return [...plugins].flatMap((plugin) => (canReject(plugin) ? hintsOf(plugin) : []));
}

/** Returns registrations for all events, for rejections whose cause is unknown: those of extenders. */
export const hintsForEverything = (plugin: string): RegisteredHint[] =>
  everything.map(({ event }) => ({ plugin, event, hint: undefined }));

const canReject = ({ preEnqueue, preFilter, filter, reserve, permit }: Plugin): boolean =>
  !!(preEnqueue ?? preFilter ?? filter ?? reserve ?? permit);

function hintsOf(plugin: Plugin): RegisteredHint[] {
  const { name } = plugin;
  if (!plugin.eventsToRegister) return hintsForEverything(name);
  const hints = plugin.eventsToRegister().map(({ event, hint }) => ({ plugin: name, event, hint }));
  // A node is often created with taints that are removed later. A pod that waits for a new node can only then be
  // scheduled there.
  const registersNode = (action: number) =>
    hints.some(({ event }) => event.resource === 'Node' && (event.action & action) !== 0);
  if (registersNode(Action.Add) && !registersNode(Action.UpdateNodeTaint)) {
    hints.push({ plugin: name, event: { resource: 'Node', action: Action.UpdateNodeTaint }, hint: undefined });
  }
  return hints;
}

/** Finds the plug-ins of each profile that are registered for an event. */
export class QueueingHints {
  readonly #profiles: ReadonlyMap<string, readonly RegisteredHint[]>;
  /** Results by profile and event object. Most events are one of a few constant objects. */
  readonly #matching = new Map<string, WeakMap<ClusterEvent, readonly RegisteredHint[]>>();

  /** By name of the profile. */
  constructor(profiles: ReadonlyMap<string, readonly RegisteredHint[]>) {
    this.#profiles = profiles;
    for (const profile of profiles.keys()) this.#matching.set(profile, new WeakMap());
  }

  /** Whether any plug-in is registered for the event. */
  isOfInterest(event: ClusterEvent): boolean {
    if (isWildcard(event)) return true;
    for (const profile of this.#profiles.keys()) if (this.matching(profile, event)!.length > 0) return true;
    return false;
  }

  /** Returns the registrations for the event; undefined when there is no such profile. */
  matching(profile: string, event: ClusterEvent): readonly RegisteredHint[] | undefined {
    const known = this.#matching.get(profile);
    let hints = known?.get(event);
    if (!known || hints) return hints;
    hints = this.#profiles.get(profile)!.filter((registered) => matchesEvent(registered.event, event));
    known.set(event, hints);
    return hints;
  }

  /** Whether the plug-in is registered for the event in any profile. */
  concerns(plugin: string, event: ClusterEvent): boolean {
    for (const profile of this.#profiles.keys())
      if (this.matching(profile, event)!.some((registered) => registered.plugin === plugin)) return true;
    return false;
  }

  /** The registered actions of all profiles by resource. */
  actions(): Map<EventResource, number> {
    const actions = new Map<EventResource, number>();
    for (const hints of this.#profiles.values())
      for (const { event } of hints) actions.set(event.resource, (actions.get(event.resource) ?? 0) | event.action);
    return actions;
  }
}
