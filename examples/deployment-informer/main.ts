/**
 * A shared informer of Deployments: one list and one watch for all parts of a program.
 * `npx tsx examples/deployment-informer/main.ts` prints the changes in the cluster of your kubeconfig.
 */
import { pathToFileURL } from 'node:url';
import { type ClientSet, SharedInformerFactory, stripManagedFields } from '@coxswain/client';

/** Prints every change of Deployments until the signal is aborted. */
export async function printDeployments(
  clients: ClientSet,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const factory = new SharedInformerFactory(clients, { transform: stripManagedFields, resyncPeriodMs: 30_000 });
  const { informer, lister } = factory.apps.v1.deployments;
  const { informer: sameInformer } = factory.apps.v1.deployments;
  print(`asked twice, one informer: ${informer === sameInformer}`);

  informer.addEventHandler({
    onAdd: ({ metadata }) => print(`added ${metadata.namespace}/${metadata.name}`),
    onUpdate(old, { metadata, spec }) {
      if (old.metadata.resourceVersion === metadata.resourceVersion) return; // a resync
      print(`updated ${metadata.namespace}/${metadata.name}: ${old.spec?.replicas} → ${spec?.replicas} replicas`);
    },
    onDelete: (deleted) =>
      print(`deleted ${'key' in deleted ? deleted.key : `${deleted.metadata.namespace}/${deleted.metadata.name}`}`),
  });
  factory.start(signal);
  await factory.waitForCacheSync(signal);
  print(`in sync: ${lister.list('app=web').length} with app=web`);
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await factory.shutdown();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { ClientSet, RESTClient } = await import('@coxswain/client');
  const { loadRestConfig } = await import('@coxswain/client/kubeconfig');
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  await printDeployments(new ClientSet(RESTClient.forConfig(await loadRestConfig())), console.log, stop.signal);
}
