import { StateKey } from '../../framework/cycle-state.ts';
import type { PluginDefinition } from '../../framework/handle.ts';
import { Status, skip } from '../../framework/status.ts';
import { AssumeCache } from './assume-cache.ts';
import { bindVolumes } from './bind-volumes.ts';
import { bindingEvents } from './binding-events.ts';
import { NodeVolumeCheck } from './node-volumes.ts';
import { addClassIndex, ClaimsNotReady, readPodClaims, type VolumeCaches } from './pod-claims.ts';
import { VolumeAccess } from './volume-access.ts';
import { readVolumeBindingArgs, type VolumeBindingArgs } from './volume-binding-args.ts';
import { VolumeReservation } from './volume-reservation.ts';

const name = 'VolumeBinding';

interface VolumeState {
  readonly check: NodeVolumeCheck;
  reservation?: VolumeReservation;
}

/** Set for pods with claims. Shared with clones of the state: its contents do not depend on other pods. */
const stateKey = new StateKey<VolumeState>(name);

/**
 * Restricts pods to nodes that can use their volumes, and binds or provisions volumes for WaitForFirstConsumer claims
 * on the selected node.
 */
export const volumeBinding: PluginDefinition<VolumeBindingArgs> = {
  name,
  readArgs: readVolumeBindingArgs,
  create: ({ bindTimeoutSeconds }, { clients, clock, informers, metrics }) => {
    const { core, storage } = informers;
    const csiNodes = storage.v1.csiNodes.informer.indexer;
    // Accessed so that these objects are watched from the start.
    void [storage.v1.storageClasses, storage.v1.csiDrivers, storage.v1.csiStorageCapacities].map(
      (each) => each.informer,
    );
    addClassIndex(core.v1.persistentVolumes.informer);
    const caches: VolumeCaches = {
      informers,
      volumes: new AssumeCache(core.v1.persistentVolumes.informer),
      claims: new AssumeCache(core.v1.persistentVolumeClaims.informer),
    };
    const access = new VolumeAccess((nodeName) => csiNodes.getByKey(nodeName));
    const tools = { clients, clock, caches, access, timeoutMs: bindTimeoutSeconds * 1000 };
    const failures = metrics.counter({
      name: 'scheduler_volume_scheduling_stage_error_total',
      help: 'Volume scheduling stage error count',
      labels: ['operation'],
    });
    const failed = (error: unknown, operation: 'predicate' | 'assume' | 'bind'): Status => {
      failures.add(1, operation);
      return Status.failed(error);
    };
    return {
      name,
      preFilter: (state, { pod }) => {
        if (!pod.spec?.volumes) return skip;
        try {
          const claims = readPodClaims(pod, caches);
          if (!claims) return skip;
          state.set(stateKey, { check: new NodeVolumeCheck(claims, caches, access) });
          return undefined;
        } catch (error) {
          return error instanceof ClaimsNotReady ? Status.unresolvable(error.message) : Status.failed(error);
        }
      },
      filter: (state, _pod, { node }) => {
        try {
          return node && state.get(stateKey).check.check(node);
        } catch (error) {
          return failed(error, 'predicate');
        }
      },
      // Scoring by storage capacity is behind a feature gate that is off by default, but profiles may enable the
      // plug-in for Score.
      preScore: () => skip,
      score: () => 0,
      reserve: (state, _pod, nodeName) => {
        const volumes = state.find(stateKey)?.check.found(nodeName);
        if (!volumes) return undefined;
        try {
          state.get(stateKey).reservation = new VolumeReservation(volumes, nodeName, caches);
          return undefined;
        } catch (error) {
          return failed(error, 'assume');
        }
      },
      unreserve: (state) => state.find(stateKey)?.reservation?.giveUp(),
      preBindPreFlight: (state) => (state.find(stateKey)?.reservation ? undefined : skip),
      preBind: async (state, { pod }, _nodeName, signal) => {
        const reservation = state.find(stateKey)?.reservation;
        if (!reservation) return undefined;
        try {
          await bindVolumes(tools, pod, reservation, signal);
          return undefined;
        } catch (error) {
          return failed(error, 'bind');
        }
      },
      eventsToRegister: () => bindingEvents,
    };
  },
};
