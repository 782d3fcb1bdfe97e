/** Prints a pod of the cluster of your kubeconfig: `npx tsx examples/pod-client/main.ts [name] [namespace]`. */
import { pathToFileURL } from 'node:url';
import { isNotFound } from '@coxswain/apimachinery/errors';
import { ClientSet, RESTClient } from '@coxswain/client';
import { loadRestConfig } from '@coxswain/client/kubeconfig';

export async function describePod(kubeconfig: string | undefined, name: string, namespace?: string): Promise<string> {
  const config = await loadRestConfig({ ...(kubeconfig && { path: kubeconfig }) });
  const clients = new ClientSet(RESTClient.forConfig(config));
  const inNamespace = namespace ?? config.namespace ?? 'default';
  try {
    const { metadata, spec, status } = await clients.core.v1.pods(inNamespace).get(name);
    return `${metadata.namespace}/${metadata.name}: ${status?.phase}, on ${spec?.nodeName ?? 'no node'}`;
  } catch (error) {
    if (isNotFound(error)) return `there is no pod ${inNamespace}/${name}`;
    throw error;
  } finally {
    await clients.rest.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log(await describePod(undefined, process.argv[2] ?? 'example', process.argv[3]));
}
