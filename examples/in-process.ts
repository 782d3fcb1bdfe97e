import { startApiServer } from '@coxswain/apiserver';
import { ClientSet, InProcessTransport, RESTClient } from '@coxswain/client';

/** A real API server inside this process, and clients with all rights: what tests of controllers run on. */
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
