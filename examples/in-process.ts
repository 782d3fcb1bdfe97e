import { startApiServer } from '@coxswain/apiserver';
import { ClientSet, InProcessTransport, RESTClient } from '@coxswain/client';

/** Starts a real API server in this process, and returns clients with all rights, for tests of controllers. */
export async function startInProcess(): Promise<{ rest: RESTClient; clients: ClientSet; stop(): Promise<void> }> {
  const server = await startApiServer({ memory: true, disableAdmissionPlugins: ['ServiceAccount'] });
  const transport = new InProcessTransport(server.transport({ username: 'me', groups: ['system:masters'] }));
  const rest = new RESTClient(transport);
  return {
    rest,
    clients: new ClientSet(rest),
    async stop() {
      await transport.close();
      await server.stop();
    },
  };
}
