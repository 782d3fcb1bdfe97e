import type { Pod } from '@coxswain/api/core/v1';
import type { ResourceClaim } from '@coxswain/api/resource/v1';
import { pollUntil, WaitTimeoutError } from '@coxswain/client';
import type { Handle } from '../../framework/handle.ts';
import {
  DeviceBindingFailed,
  DeviceBindingTimeout,
  devicesToPrepare,
  hasBindingConditions,
  isBindingOverdue,
  isReadyForBinding,
} from './binding-conditions.ts';
import type { ClaimTracker } from './claim-tracker.ts';
import type { ClaimWriter } from './claim-writer.ts';
import { isUnwritten } from './extended-resources.ts';
import { isReservedFor, keyOfClaim, nameOf } from './pod-claims.ts';
import type { PodDevices } from './pod-devices.ts';

const pollMs = 5000;

export interface DeviceBindingOptions {
  readonly handle: Pick<Handle, 'clock' | 'metrics' | 'profileName' | 'recorder'>;
  readonly tracker: ClaimTracker;
  readonly writer: ClaimWriter;
  readonly timeoutMs: number;
}

/** Writes the allocations of Reserve, and waits for the binding conditions of devices. */
export class DeviceBinding {
  readonly #options: DeviceBindingOptions;
  readonly #created: (status: 'success' | 'failure') => void;
  readonly #waited: (driver: string, status: string, seconds: number) => void;
  readonly #used: (driver: string, status: string) => void;

  constructor(options: DeviceBindingOptions) {
    this.#options = options;
    const { metrics, profileName } = options.handle;
    const created = metrics.counter({
      name: 'scheduler_resourceclaim_creates_total',
      help: 'Number of ResourceClaims creation requests within scheduler',
      labels: ['status'],
    });
    const waited = metrics.histogram({
      name: 'scheduler_dra_bindingconditions_wait_duration_seconds',
      help: 'Time in seconds spent waiting for BindingConditions to be satisfied during PreBind.',
      labels: ['profile', 'driver', 'status'],
      buckets: Array.from({ length: 14 }, (_, i) => 0.1 * 2 ** i),
    });
    const used = metrics.counter({
      name: 'scheduler_dra_bindingconditions_allocations_total',
      help: 'Number of allocations using devices with BindingConditions, counted per driver per scheduling attempt',
      labels: ['profile', 'driver', 'status'],
    });
    this.#created = (status) => created.add(1, status);
    this.#waited = (driver, status, seconds) => waited.observe(seconds, profileName, driver, status);
    this.#used = (driver, status) => used.add(1, profileName, driver, status);
  }

  /**
   * Reserves all claims for the pod and waits until their binding conditions are true. Throws an Error when that fails.
   */
  async bind(devices: PodDevices, pod: Pod, nodeName: string, signal: AbortSignal): Promise<void> {
    for (const [index, claim] of devices.claims.entries()) {
      if (!isReservedFor(claim, pod)) await this.#bindClaim(devices, index, pod, nodeName, signal);
    }
    if (devices.claims.some(hasBindingConditions)) await this.#waitUntilReady(devices, pod, nodeName, signal);
  }

  async #bindClaim(devices: PodDevices, index: number, pod: Pod, nodeName: string, signal: AbortSignal): Promise<void> {
    const { tracker, writer } = this.#options;
    const { allocation } = devices.infos[index]!;
    let claim = devices.claims[index]!;
    const isExtended = index === devices.userClaims;
    // Device plug-ins of the node provide these extended resources.
    if (isExtended && !allocation && !claim.spec.devices?.requests) return;
    try {
      if (isUnwritten(claim)) {
        claim = await this.#create(devices, nodeName, signal);
        // From now on the claim has to be deleted when the pod is not bound.
        devices.claims[index] = claim;
      }
      claim = await writer.bind(claim, pod, allocation, signal);
      devices.claims[index] = claim;
      tracker.assume(claim);
      if (isExtended) await this.#tellPod(devices, claim, pod, nodeName, signal);
    } finally {
      if (allocation) tracker.removePending((isExtended ? devices.extendedUid : claim.metadata.uid) ?? '');
    }
  }

  async #create({ byNode }: PodDevices, nodeName: string, signal: AbortSignal): Promise<ResourceClaim> {
    const wanted = byNode.get(nodeName)?.extendedClaim;
    if (!wanted) throw new Error(`extended resource claim not found for node ${nodeName}`);
    try {
      const created = await this.#options.writer.create(wanted, signal);
      this.#created('success');
      return created;
    } catch (error) {
      this.#created('failure');
      throw error;
    }
  }

  async #tellPod(
    { byNode }: PodDevices,
    { metadata }: ResourceClaim,
    pod: Pod,
    nodeName: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { mappings } = byNode.get(nodeName) ?? {};
    if (!mappings?.length) {
      throw new Error(`nil or empty request mappings, no update of pod ${nameOf(pod)} ExtendedResourceClaimStatus`);
    }
    const status = { requestMappings: [...mappings], resourceClaimName: metadata.name ?? '' };
    await this.#options.writer.tellPod(pod, status, signal);
  }

  async #waitUntilReady(devices: PodDevices, pod: Pod, nodeName: string, signal: AbortSignal): Promise<void> {
    const { handle, timeoutMs } = this.#options;
    const { clock, recorder } = handle;
    recorder.event(pod, {
      type: 'Normal',
      reason: 'BindingConditionsPending',
      action: 'Scheduling',
      note: `waiting for binding conditions for device on node ${nodeName}`,
      kind: { group: '', version: 'v1', kind: 'Pod' },
    });
    const start = clock.monotonic();
    let status = 'success';
    try {
      await pollUntil({ intervalMs: pollMs, timeoutMs, immediate: true, clock, signal }, () => this.#areReady(devices));
    } catch (cause) {
      const isTimeout = cause instanceof DeviceBindingTimeout || cause instanceof WaitTimeoutError;
      status = isTimeout ? 'timeout' : cause instanceof DeviceBindingFailed ? 'failure' : 'error';
      if (!(cause instanceof WaitTimeoutError)) throw cause;
      throw new DeviceBindingTimeout('device binding timeout: context deadline exceeded', { cause });
    } finally {
      const seconds = (clock.monotonic() - start) / 1000;
      for (const claim of devices.claims) {
        for (const { driver } of claim.status?.allocation?.devices?.results ?? [])
          this.#waited(driver, status, seconds);
        for (const { driver } of devicesToPrepare(claim)) this.#used(driver, status);
      }
    }
  }

  /** Throws an Error when a failure condition is true or a timeout has passed. */
  #areReady(devices: PodDevices): boolean {
    const { handle, timeoutMs, tracker } = this.#options;
    for (const [index, { metadata }] of devices.claims.entries()) {
      const key = `${metadata.namespace}/${metadata.name}`;
      const claim = tracker.get(key);
      if (!claim) throw new Error(`could not find ResourceClaim "${key}"`);
      devices.claims[index] = claim;
      if (isReadyForBinding(claim)) continue;
      if (isBindingOverdue(claim, timeoutMs, handle.clock.now())) {
        throw new DeviceBindingTimeout(`device binding timeout: claim=${claim.metadata.name}`);
      }
      return false;
    }
    return true;
  }
}

/** Undoes Reserve and PreBind. The writes continue in the background. */
export function releaseDevices(
  devices: PodDevices,
  pod: Pod,
  {
    tracker,
    writer,
    onError,
  }: Pick<DeviceBindingOptions, 'tracker' | 'writer'> & {
    onError(message: string, error: unknown, claim: string): void;
  },
): void {
  const { claims, userClaims, extendedUid } = devices;
  for (const claim of claims.slice(0, userClaims)) {
    const key = keyOfClaim(claim);
    if (tracker.removePending(claim.metadata.uid ?? '')) tracker.restore(key);
    if (!claim.status?.allocation || !isReservedFor(claim, pod)) continue;
    writer.unreserve(claim, pod).then(
      (written) => tracker.assume(written),
      (error: unknown) => onError('Failed to unreserve claim', error, key),
    );
  }
  const extended = claims[userClaims];
  if (!extended || extendedUid === undefined) return;
  const key = keyOfClaim(extended);
  if (tracker.removePending(extendedUid)) tracker.restore(key);
  if (!isUnwritten(extended))
    writer.delete(extended).catch((error: unknown) => onError('Failed to delete claim', error, key));
}
