import { createHash } from 'node:crypto';
import type { Lease } from '@coxswain/api/coordination/v1';
import { dateFromTime, isNotFound, microTimeFromDate } from '@coxswain/apimachinery';
import { syncedLister, unlessSurpassed } from './ensure-objects.ts';
import { startPeriodicTask } from './periodic-task.ts';
import type { BootstrapContext, PostStartHook } from './post-start-hook.ts';

const resource = { group: 'coordination.k8s.io', resource: 'leases' };
const namespace = 'kube-system';
const identityLabel = 'apiserver.kubernetes.io/identity';
const component = 'kube-apiserver';
const leaseDurationSeconds = 3600;

interface IdentityLeaseOptions {
  readonly hostname: string;
  /** A UUID, new at every start of the server. */
  readonly instanceId: string;
  /** The address for other API servers: `192.0.2.2:6443`, `[2001:db8::1]:6443`. */
  readonly peerAddress: string;
}

/** The ID of the server in its identity lease. It depends on the host name only, so restarts keep it. */
export function apiServerId(hostname: string): string {
  const hash = createHash('sha256');
  for (const text of [hostname, component]) {
    const bytes = Buffer.from(text);
    hash.update(Uint8Array.of(bytes.length >> 8, bytes.length & 0xff)).update(bytes);
  }
  return `apiserver-${base32(hash.digest().subarray(0, 16))}`;
}

/** Base32 in lower case, without padding. */
function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += base32Digits[(value >>> (bits - 5)) & 31];
  }
  return bits > 0 ? text + base32Digits[(value << (5 - bits)) & 31] : text;
}

const base32Digits = 'abcdefghijklmnopqrstuvwxyz234567';

/** Keeps the Lease of this server's identity renewed, and deletes it on stop. */
export function identityLease(context: BootstrapContext, options: IdentityLeaseOptions): PostStartHook {
  const { hostname, instanceId, peerAddress } = options;
  const name = apiServerId(hostname);
  const { client, now, logger } = context;
  let isStopped = false;

  const renew = async (): Promise<void> => {
    if (isStopped) return;
    const current = (await syncedLister<Lease>(context, resource)).get(namespace, name);
    const lease: Lease = {
      kind: 'Lease',
      apiVersion: 'coordination.k8s.io/v1',
      metadata: {
        ...(current?.metadata ?? { name, namespace }),
        annotations: { ...current?.metadata.annotations, 'kubernetes.io/peer-advertise-address': peerAddress },
        labels: { ...current?.metadata.labels, [identityLabel]: component, 'kubernetes.io/hostname': hostname },
      },
      spec: {
        ...current?.spec,
        holderIdentity: `${name}_${instanceId}`,
        leaseDurationSeconds,
        renewTime: microTimeFromDate(now()),
      },
    };
    await unlessSurpassed(() =>
      current
        ? client.update(resource.group, resource.resource, lease)
        : client.create(resource.group, resource.resource, lease),
    );
  };

  return {
    name: 'start-kube-apiserver-identity-lease-controller',
    start: (signal) =>
      startPeriodicTask(renew, {
        failure: 'failed to renew the identity lease',
        intervalMs: 10_000,
        signal,
        clock: context.clock,
        logger,
      }),
    stop: async () => {
      isStopped = true;
      await client.delete(resource.group, resource.resource, namespace, name).catch((error) => {
        if (!isNotFound(error)) throw error;
      });
    },
  };
}

/** Deletes expired identity leases. */
export function identityLeaseCollector(context: BootstrapContext): PostStartHook {
  const collect = async (): Promise<void> => {
    const lister = await syncedLister<Lease>(context, resource);
    const expired = lister
      .list(namespace)
      .filter((lease) => lease.metadata.labels?.[identityLabel] === component && isExpired(lease, context.now()));
    for (const { metadata } of expired) {
      const { name = '', resourceVersion } = metadata;
      await unlessSurpassed(() =>
        context.client.delete(resource.group, resource.resource, namespace, name, { resourceVersion }),
      );
    }
  };
  return {
    name: 'start-kube-apiserver-identity-lease-garbage-collector',
    start: (signal) =>
      startPeriodicTask(collect, {
        failure: 'failed to delete expired identity leases',
        intervalMs: leaseDurationSeconds * 1000,
        signal,
        clock: context.clock,
        logger: context.logger,
      }),
  };
}

/** A lease without these fields is invalid, and counts as expired. */
function isExpired({ spec }: Lease, now: Date): boolean {
  const { renewTime, leaseDurationSeconds: seconds } = spec ?? {};
  if (renewTime === undefined || seconds === undefined) return true;
  return dateFromTime(renewTime).getTime() + seconds * 1000 < now.getTime();
}
