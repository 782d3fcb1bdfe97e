/** Publishes the CA certificates of the API server as a ClusterTrustBundle. */
import { createHash } from 'node:crypto';
import { isNotFound } from '@coxswain/apimachinery/errors';
import type { Controller, ControllerContext, ControllerDefinition } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';

export interface ClusterTrustBundlePublisherOptions {
  /** Returns the CA certificates as PEM. Called for every reconcile. Nothing is published when it returns an empty text. */
  readonly caBundle: () => string;
}

const signerName = 'kubernetes.io/kube-apiserver-serving';

export function clusterTrustBundlePublisherController(
  options: ClusterTrustBundlePublisherOptions,
): ControllerDefinition {
  return {
    name: 'kube-apiserver-serving-clustertrustbundle-publisher-controller',
    aliases: [],
    needs: [{ group: 'certificates.k8s.io', version: 'v1beta1', resource: 'clustertrustbundles' }],
    create: (context) => newController(context, options),
  };
}

function newController(context: ControllerContext, { caBundle }: ClusterTrustBundlePublisherOptions): Controller {
  const { informer } = context.informers.certificates.v1beta1.clusterTrustBundles;
  const loop = new ReconcileLoop(context, {
    name: 'ca_cert_publisher_cluster_trust_bundles',
    workers: 1,
    synced: [informer],
    reconcile: () => publish(context, caBundle()),
  });
  const enqueue = (): void => loop.queue.add(signerName);
  informer.addEventHandler({ onAdd: enqueue, onUpdate: enqueue, onDelete: enqueue });
  enqueue();
  return loop;
}

async function publish({ clients, informers, logger }: ControllerContext, trustBundle: string): Promise<void> {
  if (trustBundle === '') return;
  const { indexer } = informers.certificates.v1beta1.clusterTrustBundles.informer;
  const bundles = clients.certificates.v1beta1.clusterTrustBundles();
  const name = bundleName(trustBundle);
  const known = indexer.getByKey(name);
  if (!known) await bundles.create({ metadata: { name }, spec: { signerName, trustBundle } });
  else if (known.spec.trustBundle !== trustBundle)
    await bundles.update({ ...known, spec: { ...known.spec, trustBundle } });

  // Older bundles of the signer are deleted after the new one has been created.
  let failure: unknown;
  for (const { metadata, spec } of indexer.list()) {
    if (spec.signerName !== signerName || metadata.name === name) continue;
    await bundles.delete(metadata.name ?? '').catch((error: unknown) => {
      if (isNotFound(error)) return;
      logger.error('Failed to remove a cluster trust bundle', error, { bundle: metadata.name });
      failure = error;
    });
  }
  if (failure !== undefined) throw failure;
}

/** Returns the name of the bundle: the signer and a hash of the content. */
export function bundleName(trustBundle: string): string {
  const hash = createHash('sha256').update(trustBundle).digest('hex').slice(0, 24);
  return `${signerName.replaceAll('/', ':')}:${hash}`;
}
