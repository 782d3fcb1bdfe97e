import type { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import type { Connect, Side } from './side.ts';

/** `@kubernetes/client-node`, used as in its README. */
export function peerSide(): Side {
  let library: typeof import('@kubernetes/client-node');
  const connect = ({ url, token }: Connect): { config: KubeConfig; api: CoreV1Api } => {
    const config = new library.KubeConfig();
    config.loadFromClusterAndUser({ name: 'c', server: url, skipTLSVerify: true }, { name: 'u', token });
    return { config, api: config.makeApiClient(library.CoreV1Api) };
  };
  return {
    async load() {
      library = await import('@kubernetes/client-node');
    },
    async list(server) {
      const { items } = await connect(server).api.listNamespacedPod({ namespace: 'default' });
      return items.length;
    },
    async gets(server, count, inFlight) {
      const { api } = connect(server);
      let left = count;
      await Promise.all(
        Array.from({ length: inFlight }, async () => {
          while (left-- > 0) await api.readNamespacedPod({ namespace: 'default', name: 'bench-1' });
        }),
      );
    },
    async informer(server, onUpdate) {
      const { config, api } = connect(server);
      const informer = library.makeInformer(config, '/api/v1/namespaces/default/pods', () =>
        api.listNamespacedPod({ namespace: 'default' }),
      );
      informer.on('update', onUpdate);
      // The informer is in sync when the first list has been received, and connected when its watch has begun.
      const connected = new Promise<void>((resolve) => informer.on('connect', () => resolve()));
      await informer.start();
      await connected;
      return {
        get size() {
          return informer.list().length;
        },
        stop: () => informer.stop(),
      };
    },
  };
}
