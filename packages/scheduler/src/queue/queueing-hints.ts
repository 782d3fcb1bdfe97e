import { isWildcard, matchesEvent } from '../events/cluster-events.ts';
import {
  Action,
  type ClusterEvent,
  type ClusterEventWithHint,
  type EventResource,
  type QueueingHintFn,
} from '../framework/cluster-event.ts';
import type { Plugin } from '../framework/plugin.ts';

/** Who wants to be asked about an event, and how. */
export interface RegisteredHint {
  readonly plugin: string;
  readonly event: ClusterEvent;
  /** Without one the event is always worth a try. */
  readonly hint: QueueingHintFn | undefined;
}

/** What a plug-in is asked about that does not say: everything of every kind that is watched anyway. */
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

/** The registrations of a profile's plug-ins; only those matter that can keep a pod from being scheduled. */
export function registeredHints(plugins: Iterable<Plugin>): RegisteredHint[] {
  return [...plugins].flatMap((plugin) => (canReject(plugin) ? hintsOf(plugin) : []));
}

/** The registration of somebody who cannot say what would help: an extender. */
export const hintsForEverything = (plugin: string): RegisteredHint[] =>
  everything.map(({ event }) => ({ plugin, event, hint: undefined }));

const canReject = ({ preEnqueue, preFilter, filter, reserve, permit }: Plugin): boolean =>
  !!(preEnqueue ?? preFilter ?? filter ?? reserve ?? permit);

function hintsOf(plugin: Plugin): RegisteredHint[] {
  const { name } = plugin;
  if (!plugin.eventsToRegister) return hintsForEverything(name);
  const hints = plugin.eventsToRegister().map(({ event, hint }) => ({ plugin: name, event, hint }));
  // A node often comes with taints that it loses later; only then do pods get a chance on it that its coming promised.
  const registersNode = (action: number) =>
    hints.some(({ event }) => event.resource === 'Node' && (event.action & action) !== 0);
  if (registersNode(Action.Add) && !registersNode(Action.UpdateNodeTaint)) {
    hints.push({ plugin: name, event: { resource: 'Node', action: Action.UpdateNodeTaint }, hint: undefined });
  }
  return hints;
}

/** Which plug-ins of which profile want to be asked about an event. */
export class QueueingHints {
  readonly #profiles: ReadonlyMap<string, readonly RegisteredHint[]>;
  /** By profile. Events are mostly one of a few objects, so answers are kept as long as the event is. */
  readonly #matching = new Map<string, WeakMap<ClusterEvent, readonly RegisteredHint[]>>();

  /** By name of the profile. */
  constructor(profiles: ReadonlyMap<string, readonly RegisteredHint[]>) {
    this.#profiles = profiles;
    for (const profile of profiles.keys()) this.#matching.set(profile, new WeakMap());
  }

  /** Whether it can change anything for anyone. */
  isOfInterest(event: ClusterEvent): boolean {
    if (isWildcard(event)) return true;
    for (const profile of this.#profiles.keys()) if (this.matching(profile, event)!.length > 0) return true;
    return false;
  }

  /** Undefined when there is no such profile. */
  matching(profile: string, event: ClusterEvent): readonly RegisteredHint[] | undefined {
    const known = this.#matching.get(profile);
    let hints = known?.get(event);
    if (!known || hints) return hints;
    hints = this.#profiles.get(profile)!.filter((registered) => matchesEvent(registered.event, event));
    known.set(event, hints);
    return hints;
  }

  /** Whether the event is one that the plug-in registered for, in any profile. */
  concerns(plugin: string, event: ClusterEvent): boolean {
    for (const profile of this.#profiles.keys())
      if (this.matching(profile, event)!.some((registered) => registered.plugin === plugin)) return true;
    return false;
  }

  /** All that somebody registered for: the actions by resource. */
  actions(): Map<EventResource, number> {
    const actions = new Map<EventResource, number>();
    for (const hints of this.#profiles.values())
      for (const { event } of hints) actions.set(event.resource, (actions.get(event.resource) ?? 0) | event.action);
    return actions;
  }
}
