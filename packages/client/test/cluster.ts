import { randomBytes } from 'node:crypto';
import { startApiServer } from '@coxswain/apiserver';
import { loadRestConfig } from '../src/kubeconfig/index.ts';
import { ClientSet } from '../src/kubernetes/index.ts';
import { RESTClient } from '../src/rest/index.ts';
import { InProcessTransport, type Transport } from '../src/transport/index.ts';
import { newTransport } from '../src/transport/new-transport.ts';

/** An API server for tests, with a new namespace. */
export interface TestCluster {
  readonly transport: Transport;
  readonly clients: ClientSet;
  readonly namespace: string;
  /** Deletes the namespace, and stops the server if it was started here. */
  stop(): Promise<void>;
}

/**
 * Starts our own server in this process. With `COXSWAIN_TEST_CLUSTER` set, connects to the cluster of `KUBECONFIG`
 * instead, so that the same tests run against any other server. `KUBECONFIG` alone is not enough, so that tests never
 * run in a cluster by accident.
 */
export async function startTestCluster(): Promise<TestCluster> {
  const namespace = `coxswain-client-${randomBytes(4).toString('hex')}`;
  const { transport, stop } = await connect();
  const clients = new ClientSet(new RESTClient(transport));
  await clients.core.v1.namespaces().create({ metadata: { name: namespace } });
  return {
    transport,
    clients,
    namespace,
    async stop() {
      await clients.core.v1.namespaces().delete(namespace);
      await transport.close();
      await stop();
    },
  };
}

/** Whether the server is our own, which tests may restart. */
export const isOwnServer = !process.env.COXSWAIN_TEST_CLUSTER;

async function connect(): Promise<{ transport: Transport; stop(): Promise<void> }> {
  if (!isOwnServer) return { transport: await newTransport(await loadRestConfig()), async stop() {} };
  const server = await startApiServer({ memory: true });
  const call = server.transport({ username: 'me', groups: ['system:masters'] });
  return { transport: new InProcessTransport(call), stop: () => server.stop() };
}
