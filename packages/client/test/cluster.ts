import { randomBytes } from 'node:crypto';
import { startApiServer } from '@coxswain/apiserver';
import { loadRestConfig } from '../src/kubeconfig/index.ts';
import { ClientSet } from '../src/kubernetes/index.ts';
import { RESTClient } from '../src/rest/index.ts';
import { InProcessTransport, type Transport } from '../src/transport/index.ts';
import { newTransport } from '../src/transport/new-transport.ts';

/** An API server to test against, and a namespace there that is ours alone. */
export interface TestCluster {
  readonly transport: Transport;
  readonly clients: ClientSet;
  readonly namespace: string;
  /** Deletes the namespace, and stops what was started. */
  stop(): Promise<void>;
}

/**
 * Our own server in this process; or, with `COXSWAIN_TEST_CLUSTER` set, the cluster that `KUBECONFIG` names, so that the same
 * tests judge the client by any other server. Not by `KUBECONFIG` alone: nobody's tests shall run in a cluster by accident.
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

/** Whether the server is one that we may stop and start as we like. */
export const isOwnServer = !process.env.COXSWAIN_TEST_CLUSTER;

async function connect(): Promise<{ transport: Transport; stop(): Promise<void> }> {
  if (!isOwnServer) return { transport: await newTransport(await loadRestConfig()), async stop() {} };
  const server = await startApiServer({ memory: true });
  const call = server.transport({ username: 'me', groups: ['system:masters'] });
  return { transport: new InProcessTransport(call), stop: () => server.stop() };
}
