import type { Pod } from '@coxswain/api/core/v1';
import type { RESTClient } from '@coxswain/client/rest';
import type { Connect, Side } from './side.ts';

const pods = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };

/** The parts of `@coxswain/client` that the tasks need: a REST client, one resource, one informer. */
export function ourSide(): Side {
  let rest: typeof import('@coxswain/client/rest');
  let informers: typeof import('@coxswain/client/informers');
  const connect = async ({ url, token }: Connect): Promise<RESTClient> =>
    rest.RESTClient.forConfig({
      server: url,
      ...(url.startsWith('https:') && { tls: { insecureSkipTlsVerify: true } }),
      credentials: { current: async () => ({ token }), refused: () => false },
      qps: 0,
    });
  const client = async (server: Connect) => new rest.ResourceClient<Pod>(await connect(server), pods, 'default');
  return {
    async load() {
      rest = await import('@coxswain/client/rest');
      informers = await import('@coxswain/client/informers');
      // Includes a client that is ready for its first request; Node's TLS is loaded with the first connection.
      await connect({ url: 'https://127.0.0.1:1', token: '' });
    },
    async list(server) {
      return (await (await client(server)).list()).items.length;
    },
    async gets(server, count, inFlight) {
      const api = await client(server);
      let left = count;
      await Promise.all(
        Array.from({ length: inFlight }, async () => {
          while (left-- > 0) await api.get('bench-1');
        }),
      );
    },
    async informer(server, onUpdate) {
      const stop = new AbortController();
      const informer = new informers.SharedIndexInformer(await client(server));
      informer.addEventHandler({ onUpdate });
      const running = informer.run(stop.signal);
      await informer.whenSynced();
      return {
        get size() {
          return informer.indexer.listKeys().length;
        },
        async stop() {
          stop.abort();
          await running;
        },
      };
    },
  };
}

/** Adds, gets and finishes `count` items; there is no peer for it. */
export async function queueOperations(count: number): Promise<number> {
  const { WorkQueue } = await import('@coxswain/client/workqueue');
  const queue = new WorkQueue<string>();
  const keys = Array.from({ length: 1000 }, (_, index) => `default/object-${index}`);
  for (let done = 0; done < count; ) {
    for (const key of keys) queue.add(key);
    for (let i = 0; i < keys.length; i++, done++) queue.done((await queue.get())!);
  }
  return count;
}
