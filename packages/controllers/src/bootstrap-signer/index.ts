/** Signs the public `cluster-info` ConfigMap, which contains the kubeconfig for joining nodes, with every bootstrap token that may sign. */
import { isConflict, isNotFound } from '@coxswain/apimachinery/errors';
import { FilteringResourceEventHandler, metaNamespaceKey, NAMESPACE_INDEX } from '@coxswain/client';
import type { Controller, ControllerContext, ControllerDefinition } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import { isBootstrapToken, tokenNamespace } from '../token-cleaner/bootstrap-token.ts';
import { signedData } from './signatures.ts';

export const bootstrapSignerController: ControllerDefinition = {
  name: 'bootstrap-signer-controller',
  aliases: ['bootstrapsigner'],
  isOffByDefault: true,
  create: newController,
};

const clusterInfo = 'kube-public/cluster-info';

function newController(context: ControllerContext): Controller {
  const configMaps = context.informers.core.v1.configMaps.informer;
  const secrets = context.informers.core.v1.secrets.informer;
  const loop = new ReconcileLoop(context, {
    name: 'bootstrap_signer_queue',
    workers: 1,
    synced: [configMaps, secrets],
    async reconcile(key) {
      const configMap = configMaps.indexer.getByKey(key);
      if (!configMap) return;
      const tokens = secrets.indexer.byIndex(NAMESPACE_INDEX, tokenNamespace).filter(isBootstrapToken);
      const data = signedData(configMap, tokens, context.clock.now());
      if (!data) return;
      const client = context.clients.core.v1.configMaps(configMap.metadata.namespace ?? '');
      await client.update({ ...configMap, data }).catch((error: unknown) => {
        // An event for the changed ConfigMap will follow.
        if (!isConflict(error) && !isNotFound(error)) throw error;
      });
    },
  });
  const sign = (): void => loop.queue.add(clusterInfo);
  configMaps.addEventHandler(
    new FilteringResourceEventHandler((configMap) => metaNamespaceKey(configMap) === clusterInfo, {
      onAdd: sign,
      onUpdate: sign,
    }),
  );
  secrets.addEventHandler(
    new FilteringResourceEventHandler(isBootstrapToken, { onAdd: sign, onUpdate: sign, onDelete: sign }),
  );
  return loop;
}
