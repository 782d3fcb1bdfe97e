/** Sets ServiceCIDRs Ready, and protects them from deletion while services use their addresses. */

import type { IPAddress, ServiceCIDR } from '@coxswain/api/networking/v1';
import { isNotFound } from '@coxswain/apimachinery/errors';
import { findStatusCondition, GroupVersionKind, hasFinalizer } from '@coxswain/apimachinery/meta';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { deletedObject, deletionHandlingKey, type EventRecorder } from '@coxswain/client';
import type { Controller, ControllerContext, ControllerDefinition } from '../framework/controller/controller.ts';
import { ReconcileLoop, type ReconcileResult } from '../framework/controller/reconcile-loop.ts';
import { canDelete, holdersOf, isServiceAddress, overlapping } from './can-delete.ts';

const name = 'service-cidr-controller';

export const serviceCIDRController: ControllerDefinition = { name, aliases: [], create: newController };

const finalizer = 'networking.k8s.io/service-cidr-finalizer';
const maxRetries = 15;

/** Delay that lets all API servers observe the deletion and stop allocating addresses from the range. */
const deletionGracePeriodMs = 10_000;

function newController(context: ControllerContext): Controller {
  const cidrs = context.informers.networking.v1.serviceCIDRs.informer;
  const addresses = context.informers.networking.v1.ipAddresses.informer;
  const recorder = context.recorder(name);
  const loop = new ReconcileLoop(context, {
    name: 'ipaddresses',
    workers: 5,
    synced: [cidrs, addresses],
    maxRetries,
    async reconcile(key) {
      const cidr = cidrs.indexer.getByKey(key);
      if (!cidr) return;
      if (cidr.metadata.deletionTimestamp === undefined) return await keep(context, recorder, cidr);
      return await letGo(context, cidr, canDelete(cidr, cidrs.indexer.list(), addresses.indexer.values()));
    },
  });
  cidrs.addEventHandler({
    onAdd: (cidr) => {
      loop.add(cidr);
      // The new range may contain the addresses that block the deletion of another one.
      for (const other of overlapping(cidr, cidrs.indexer.values())) loop.add(other);
    },
    onUpdate: (_, cidr) => loop.add(cidr),
    onDelete: (deleted) => loop.queue.add(deletionHandlingKey(deleted)),
  });
  const addressChanged = (address: IPAddress): void => {
    if (isServiceAddress(address)) for (const cidr of holdersOf(address, cidrs.indexer.values())) loop.add(cidr);
  };
  addresses.addEventHandler({ onAdd: addressChanged, onDelete: (deleted) => addressChanged(deletedObject(deleted)) });
  return loop;
}

async function keep(context: ControllerContext, recorder: EventRecorder, cidr: ServiceCIDR): Promise<void> {
  if (!hasFinalizer(cidr, finalizer)) await patchFinalizers(context, cidr, { finalizers: [finalizer] });
  try {
    await setReady(context, cidr, { status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' });
  } catch (error) {
    const kind = GroupVersionKind.of('networking.k8s.io', 'v1', 'ServiceCIDR');
    const message = 'The ServiceCIDR Status can not be set to Ready=True';
    recorder.event(cidr, 'Warning', 'KubernetesServiceCIDRError', message, { kind });
    throw error;
  }
}

async function letGo(
  context: ControllerContext,
  cidr: ServiceCIDR,
  isUnused: boolean,
): Promise<ReconcileResult | undefined> {
  if (!isUnused) {
    const message =
      'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR';
    await setReady(context, cidr, { status: 'False', reason: 'Terminating', message });
    return;
  }
  const requeueAfterMs =
    Date.parse(cidr.metadata.deletionTimestamp ?? '') + deletionGracePeriodMs - context.clock.now();
  if (requeueAfterMs > 0) return { requeueAfterMs };
  if (!hasFinalizer(cidr, finalizer)) return;
  await patchFinalizers(context, cidr, { '$deleteFromPrimitiveList/finalizers': [finalizer] });
}

async function patchFinalizers(
  { clients }: ControllerContext,
  { metadata: { name = '' } }: ServiceCIDR,
  metadata: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  await clients.networking.v1
    .serviceCIDRs()
    .patch(name, 'strategic-merge', { metadata })
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
}

interface Ready {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

async function setReady({ clients, clock }: ControllerContext, cidr: ServiceCIDR, ready: Ready): Promise<void> {
  const current = findStatusCondition(cidr.status?.conditions, 'Ready');
  const { status, reason, message } = ready;
  if (current?.status === status && (current.reason ?? '') === reason && current.message === message) return;
  const condition = { type: 'Ready', status, reason, message, lastTransitionTime: timeFromDate(new Date(clock.now())) };
  await clients.networking.v1
    .serviceCIDRs()
    .applyStatus(
      { metadata: { name: cidr.metadata.name ?? '' }, status: { conditions: [condition] } },
      { fieldManager: name, force: true },
    );
}
