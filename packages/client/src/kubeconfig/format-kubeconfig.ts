import type { KubeConfig } from './kubeconfig.ts';

/** Returns the text of a kubeconfig file, as kubectl writes it. It contains secrets. */
export async function formatKubeConfig({ clusters, users, contexts, currentContext }: KubeConfig): Promise<string> {
  const { stringifyYaml } = await import('@coxswain/apimachinery/codec/yaml');
  return stringifyYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [...clusters].map(([name, cluster]) => ({ name, cluster })),
    users: [...users].map(([name, user]) => ({ name, user })),
    contexts: [...contexts].map(([name, context]) => ({ name, context })),
    'current-context': currentContext,
  });
}
