import { ClientSet, RESTClient } from '@coxswain/client';
import { loadRestConfig } from '@coxswain/client/kubeconfig';

/** Calls `work` with clients for the kubeconfig, and closes them afterwards. */
export async function withClients<T>(kubeconfig: string, work: (clients: ClientSet) => Promise<T>): Promise<T> {
  const rest = RESTClient.forConfig({ ...(await loadRestConfig({ path: kubeconfig })), qps: 0 });
  try {
    return await work(new ClientSet(rest));
  } finally {
    await rest.close();
  }
}
