/** Publishes the CA certificates of the API server in a ConfigMap in every namespace. */

import type { ConfigMap } from '@coxswain/api/core/v1';
import { hasStatusCause, isNotFound } from '@coxswain/apimachinery/errors';
import { equals } from '@coxswain/apimachinery/labels';
import { deletedObject } from '@coxswain/client';
import type { Controller, ControllerContext, ControllerDefinition } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';

export interface RootCAPublisherOptions {
  /** The PEM content of `--root-ca-file`. */
  readonly rootCA: string;
}

/** Creates the controller that publishes these certificates. */
export const rootCAPublisherController = (options: RootCAPublisherOptions): ControllerDefinition => ({
  name: 'root-ca-certificate-publisher-controller',
  aliases: ['root-ca-cert-publisher'],
  create: (context) => newController(context, options),
});

const name = 'kube-root-ca.crt';
const descriptionAnnotation = 'kubernetes.io/description';
const description =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal ' +
  'service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

function newController(context: ControllerContext, { rootCA }: RootCAPublisherOptions): Controller {
  const configMaps = context.informers.core.v1.configMaps.informer;
  const namespaces = context.informers.core.v1.namespaces.informer;
  const data = { 'ca.crt': rootCA };
  const loop = new ReconcileLoop(context, {
    name: 'root_ca_cert_publisher',
    workers: 1,
    synced: [configMaps, namespaces],
    async reconcile(namespace) {
      const client = context.clients.core.v1.configMaps(namespace);
      const known = configMaps.indexer.getByKey(`${namespace}/${name}`);
      if (known) {
        if (equals(known.data ?? {}, data) && known.metadata.annotations?.[descriptionAnnotation]) return;
        const annotations = { ...known.metadata.annotations, [descriptionAnnotation]: description };
        await client.update({ ...known, metadata: { ...known.metadata, annotations }, data });
        return;
      }
      try {
        await client.create({
          metadata: { name, namespace, annotations: { [descriptionAnnotation]: description } },
          data,
        });
      } catch (error) {
        // The namespace is deleted or being deleted.
        if (!isNotFound(error) && !hasStatusCause(error, 'NamespaceTerminating')) throw error;
      }
    },
  });
  const changed = ({ metadata }: ConfigMap): void => {
    if (metadata.name === name) loop.queue.add(metadata.namespace ?? '');
  };
  configMaps.addEventHandler({
    onUpdate: (_, configMap) => changed(configMap),
    onDelete: (deleted) => changed(deletedObject(deleted)),
  });
  namespaces.addEventHandler({
    onAdd: (namespace) => loop.add(namespace),
    onUpdate: (_, namespace) => {
      if (namespace.status?.phase === 'Active') loop.add(namespace);
    },
  });
  return loop;
}
