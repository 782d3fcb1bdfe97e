import type { Pod } from '@coxswain/api/core/v1';
import { StateKey } from '../../framework/cycle-state.ts';
import type { Handle, PluginDefinition } from '../../framework/handle.ts';
import type { Plugin } from '../../framework/plugin.ts';
import { Status, skip } from '../../framework/status.ts';
import { defaultNormalizeScore } from '../default-normalize-score.ts';
import { claimEvents } from './claim-events.ts';
import { ClaimWriter, claimFinalizer } from './claim-writer.ts';
import { DeviceBinding, releaseDevices } from './device-binding.ts';
import { DeviceManager, deviceManager } from './device-manager.ts';
import { type DynamicResourcesArgs, readDynamicResourcesArgs } from './dynamic-resources-args.ts';
import { isUnwritten } from './extended-resources.ts';
import { filterNode, hasAlternatives, mayNeedDevices, scoreNode } from './filter-node.ts';
import { ClaimsNotReady, podResourceClaims } from './pod-claims.ts';
import { extendedClaimIn, type PodDevices, podDevices, toAllocate } from './pod-devices.ts';
import { preparePod } from './prepare-pod.ts';
import { randomUid } from './random-uid.ts';
import { SearchDeadline } from './search-deadline.ts';

const name = 'DynamicResources';

/**
 * Restricts pods to nodes where the devices of their claims are, or can be allocated, and allocates devices to claims.
 */
export const dynamicResources: PluginDefinition<DynamicResourcesArgs> = {
  name,
  readArgs: readDynamicResourcesArgs,
  create,
};

/** Set when PreFilter of this plug-in has run, so no earlier plug-in has rejected the pod. */
const hasBegun = new StateKey<true>('DynamicResources');

function create({ filterTimeoutMs, bindingTimeoutMs }: DynamicResourcesArgs, handle: Handle): Plugin {
  const { clock, logger, random } = handle;
  const manager = handle.shared.get(deviceManager, () => new DeviceManager(handle));
  const { claims: tracker, classes } = manager;
  const writer = new ClaimWriter(handle);
  const binding = new DeviceBinding({ handle, tracker, writer, timeoutMs: bindingTimeoutMs });
  const deadline = new SearchDeadline(clock, filterTimeoutMs);
  const prepareOptions = { manager, deadline, newShareID: () => randomUid(random) };
  const filterOptions = { classes, deadline, bindingTimeoutMs, now: () => clock.now() };
  const loading = new Loading(manager, handle);
  return {
    name,
    preEnqueue: (pod) => {
      try {
        podResourceClaims(pod, (key) => tracker.get(key));
      } catch (error) {
        return notReady(error);
      }
      return loading.hold(pod);
    },
    eventsToRegister: () => claimEvents(tracker),
    preFilter: (state, pod) => {
      state.set(hasBegun, true);
      try {
        const devices = preparePod(pod, prepareOptions);
        if (!devices) return skip;
        state.set(podDevices, devices);
        return undefined;
      } catch (error) {
        return notReady(error);
      }
    },
    filter: (state, pod, node) => {
      const devices = state.find(podDevices);
      return devices && filterNode(devices, pod, node, filterOptions);
    },
    postFilter: async (state, { pod }, _statuses, signal) => {
      // As upstream, whose state is missing in this case: it returns only this message, and preemption is not tried.
      if (!state.find(hasBegun)) return Status.unresolvable('not found');
      const devices = state.find(podDevices);
      if (!devices) return Status.unschedulable('no new claims to deallocate');
      try {
        return Status.unschedulable(await freeDevices(devices, pod, writer, signal));
      } catch (error) {
        return Status.failed(error);
      }
    },
    // Scores differ only with alternatives.
    preScore: (state) => {
      const devices = state.find(podDevices);
      return devices && hasAlternatives(devices) ? undefined : skip;
    },
    score: (state, _pod, node) => {
      const devices = state.find(podDevices);
      return devices ? scoreNode(devices, node.name) : 0;
    },
    normalizeScore: (_state, _pod, _nodes, scores) => defaultNormalizeScore(scores),
    reserve: (state, _pod, nodeName) => {
      const devices = state.find(podDevices);
      return devices && reserve(devices, nodeName, manager);
    },
    unreserve: (state, { pod }) => {
      const devices = state.find(podDevices);
      if (!devices) return;
      releaseDevices(devices, pod, {
        tracker,
        writer,
        onError: (message, error, claim) => logger.error(message, error, { claim }),
      });
    },
    preBindPreFlight: (state) => (state.find(podDevices) ? undefined : skip),
    preBind: async (state, { pod }, nodeName, signal) => {
      const devices = state.find(podDevices);
      if (!devices) return undefined;
      try {
        await binding.bind(devices, pod, nodeName, signal);
        return undefined;
      } catch (error) {
        return Status.failed(error);
      }
    },
  };
}

const notReady = (error: unknown): Status =>
  error instanceof ClaimsNotReady ? Status.unresolvable(error.message) : Status.failed(error);

/** Gates pods with claims until the CEL library is loaded. */
class Loading {
  readonly #manager: DeviceManager;
  readonly #handle: Handle;
  /** By UID: the gated pods. Bounded by the number of pods. */
  readonly #held = new Map<string, Pod>();

  constructor(manager: DeviceManager, handle: Handle) {
    this.#manager = manager;
    this.#handle = handle;
  }

  hold(pod: Pod): Status | undefined {
    if (this.#manager.matches || !mayNeedDevices(pod)) return undefined;
    if (this.#held.size === 0) {
      this.#manager.load().then(
        () => this.#release(),
        (error: unknown) => this.#handle.logger.error('Failed to load the CEL library', error, { plugin: name }),
      );
    }
    this.#held.set(pod.metadata.uid ?? '', pod);
    return Status.unresolvable('the CEL library is being loaded');
  }

  #release(): void {
    const pods = [...this.#held.values()];
    this.#held.clear();
    this.#handle.activate(pods);
  }
}

/** Records the allocations found by Filter as pending. */
function reserve(devices: PodDevices, nodeName: string, { claims: tracker }: DeviceManager): Status | undefined {
  const missing = toAllocate(devices);
  if (missing.length === 0) return undefined;
  const found = devices.byNode.get(nodeName);
  if (!found) {
    // Device plug-ins of the node provide what the pod requests.
    if (missing.every((index) => index === devices.userClaims)) return undefined;
    return Status.failed(new Error('claim allocation not found for node'));
  }
  const results = found.results();
  let at = 0;
  for (const index of missing) {
    const isExtended = index === devices.userClaims;
    if (isExtended && !found.extendedClaim) continue;
    const claim = isExtended ? found.extendedClaim! : devices.claims[index]!;
    const allocation = results[at++];
    if (!allocation) return Status.failed(new Error('claim allocation not found for node'));
    devices.infos[index]!.allocation = allocation;
    const finalizers = [...new Set([...(claim.metadata.finalizers ?? []), claimFinalizer])];
    tracker.addPending(claim.metadata.uid ?? '', {
      ...claim,
      metadata: { ...claim.metadata, finalizers },
      status: { ...claim.status, allocation },
    });
  }
  return undefined;
}

/** Deallocates a claim that no other pod uses, if that may help. Returns a message with the result. */
async function freeDevices(devices: PodDevices, pod: Pod, writer: ClaimWriter, signal: AbortSignal): Promise<string> {
  const extended = extendedClaimIn(devices);
  const stale = extended && !isUnwritten(extended) ? extended : undefined;
  for (const index of devices.unavailable) {
    const claim = devices.claims[index]!;
    if (claim === extended) continue;
    const reservedFor = claim.status?.reservedFor ?? [];
    if (!reservedFor.every(({ uid }) => uid === pod.metadata.uid)) continue;
    await writer.deallocate(claim, signal);
    return 'deallocation of ResourceClaim completed';
  }
  if (!stale) return 'still not schedulable';
  await writer.delete(stale, signal);
  return 'deletion of ResourceClaim completed';
}
