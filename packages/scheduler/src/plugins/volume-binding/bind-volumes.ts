import type { PersistentVolume, PersistentVolumeClaim, Pod } from '@coxswain/api/core/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import { type ClientSet, type Clock, childSignal } from '@coxswain/client';
import { annotations } from './annotations.ts';
import { isFullyBound, type VolumeCaches } from './pod-claims.ts';
import type { VolumeAccess } from './volume-access.ts';
import type { VolumeReservation } from './volume-reservation.ts';

export interface BindingTools {
  readonly clients: ClientSet;
  readonly clock: Clock;
  readonly caches: VolumeCaches;
  readonly access: VolumeAccess;
  readonly timeoutMs: number;
}

/** How often node and pod are checked, besides checks after changes of claims and volumes. */
const checkMs = 1000;

/**
 * Writes what was reserved for the pod, and waits until the PV controller has bound all claims. Rejects when a write fails, when binding
 * becomes impossible, and after the timeout.
 */
export async function bindVolumes(
  tools: BindingTools,
  pod: Pod,
  reservation: VolumeReservation,
  signal: AbortSignal,
): Promise<void> {
  const { core } = tools.clients;
  for (const binding of reservation.bindings) {
    binding.volume = await core.v1.persistentVolumes().update(binding.volume, { signal });
  }
  for (const [i, claim] of reservation.provisions.entries()) {
    const claims = core.v1.persistentVolumeClaims(claim.metadata.namespace ?? '');
    reservation.provisions[i] = await claims.update(claim, { signal });
  }
  try {
    await untilBound(tools, pod, reservation, signal);
  } catch (cause) {
    throw new Error(`binding volumes: ${messageOf(cause)}`, { cause });
  }
}

async function untilBound(
  tools: BindingTools,
  pod: Pod,
  reservation: VolumeReservation,
  parent: AbortSignal,
): Promise<void> {
  const { clock, timeoutMs } = tools;
  const onTimeout = (): Error => new Error('context deadline exceeded');
  const { signal, dispose } = childSignal({ parent, timeoutMs, clock, onTimeout });
  try {
    for (;;) {
      if (parent.aborted) throw new Error('context canceled', { cause: parent.reason });
      signal.throwIfAborted();
      if (areBound(tools, pod, reservation)) return;
      await nextChange(tools, reservation, signal);
    }
  } finally {
    dispose();
  }
}

/** Differs from upstream, which polls once a second: changes of claims and volumes are noticed at once. */
async function nextChange(
  { caches: { claims, volumes }, clock }: BindingTools,
  { bindings, provisions }: VolumeReservation,
  signal: AbortSignal,
): Promise<void> {
  const claimKeys = [...bindings.map(({ claim }) => claim), ...provisions].map(keyOf);
  const volumeKeys = [
    ...bindings.map(({ volume }) => volume.metadata.name ?? ''),
    // The volume was provisioned meanwhile but may not be in the cache yet.
    ...provisions.flatMap((claim) => claims.stored(keyOf(claim))?.spec?.volumeName ?? []),
  ];
  const stop: (() => void)[] = [];
  await new Promise<void>((resolve) => {
    const wake = (): void => resolve();
    const timer = clock.setTimeout(wake, checkMs);
    signal.addEventListener('abort', wake);
    stop.push(
      claims.onChange(claimKeys, wake),
      volumes.onChange(volumeKeys, wake),
      () => timer.cancel(),
      () => signal.removeEventListener('abort', wake),
    );
  });
  for (const each of stop) each();
}

/** Returns whether all claims are bound. Throws an Error when they cannot become bound any more. */
function areBound({ caches, access }: BindingTools, pod: Pod, reservation: VolumeReservation): boolean {
  const { core } = caches.informers;
  const nodeName = pod.spec?.nodeName ?? '';
  const node = core.v1.nodes.informer.indexer.getByKey(nodeName);
  if (!node) throw new Error(`failed to get node "${nodeName}": node "${nodeName}" not found`);
  if (!core.v1.pods.informer.indexer.getByKey(keyOf(pod)))
    throw new Error(`pod does not exist any more: pod "${pod.metadata.name}" not found`);
  const checkAccess = (volume: PersistentVolume): void => {
    if (access.has(node, volume)) return;
    const { name } = volume.metadata;
    throw new Error(`pv "${name}" node affinity doesn't match node "${nodeName}": no matching NodeSelectorTerms`);
  };

  for (const { volume: written, claim } of reservation.bindings) {
    const name = written.metadata.name ?? '';
    const volume = caches.volumes.stored(name);
    if (!volume) throw new Error(`failed to check binding: persistentvolumes "${name}" not found`);
    const current = caches.claims.stored(keyOf(claim));
    if (!current) throw new Error(`failed to check binding: persistentvolumeclaims "${keyOf(claim)}" not found`);
    if (isOlder(volume, written)) return false;
    checkAccess(volume);
    if (!volume.spec?.claimRef?.uid) throw new Error(`ClaimRef got reset for pv "${name}"`);
    if (!isFullyBound(current)) return false;
  }
  for (const written of reservation.provisions) {
    const claim = caches.claims.stored(keyOf(written));
    if (!claim)
      throw new Error(`failed to check provisioning pvc: persistentvolumeclaims "${keyOf(written)}" not found`);
    if (isOlder(claim, written)) return false;
    if (!claim.metadata.annotations) throw new Error(`selectedNode annotation reset for PVC "${claim.metadata.name}"`);
    // A provisioner that fails removes the annotation.
    if (claim.metadata.annotations[annotations.selectedNode] !== nodeName)
      throw new Error(`provisioning failed for PVC "${claim.metadata.name}"`);
    const { volumeName } = claim.spec ?? {};
    if (volumeName) {
      const volume = caches.volumes.stored(volumeName);
      // The informer has not received the volume yet.
      if (!volume) return false;
      checkAccess(volume);
    }
    if (!isFullyBound(claim)) return false;
  }
  return true;
}

const keyOf = ({ metadata: { namespace, name } }: Pod | PersistentVolumeClaim): string => `${namespace}/${name}`;

const isOlder = (a: PersistentVolume | PersistentVolumeClaim, b: PersistentVolume | PersistentVolumeClaim): boolean =>
  BigInt(a.metadata.resourceVersion || 0) < BigInt(b.metadata.resourceVersion || 0);
