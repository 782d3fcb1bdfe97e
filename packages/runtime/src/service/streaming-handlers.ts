import type { RuntimeServiceHandlers } from '@coxswain/cri';
import { RpcError } from '@coxswain/grpc';
import { attach, containerStateOf, exec, forwardPort, type RuntimeContext } from '../lifecycle/index.ts';
import type { Container } from '../model/index.ts';
import type { StreamingServer } from '../streaming/index.ts';

/** The calls that answer with a URL, where the client gets its streams. */
export function streamingHandlers(context: RuntimeContext, server: StreamingServer) {
  return {
    async exec({ containerId, cmd, tty, stdin, stdout, stderr }) {
      const container = running(context, containerId);
      if (!stdin && !stdout && !stderr)
        throw new RpcError('InvalidArgument', 'one of stdin, stdout, or stderr must be set');
      const streams = { stdin, stdout, stderr, tty };
      return {
        url: server.urlOf('exec', {
          kind: 'command',
          streams,
          open: () => exec(context, container, { cmd, tty, stdin }),
        }),
      };
    },
    async attach({ containerId, tty, stdin, stdout, stderr }) {
      const container = running(context, containerId);
      if (!stdin && !stdout && !stderr)
        throw new RpcError('InvalidArgument', 'one of stdin, stdout, or stderr must be set');
      const streams = { stdin, stdout, stderr, tty };
      return {
        url: server.urlOf('attach', { kind: 'command', streams, open: () => attach(context, container, stdin) }),
      };
    },
    async portForward({ podSandboxId, port: ports }) {
      const sandbox = context.sandboxes.get(podSandboxId);
      if (!sandbox.isReady) throw new Error('sandbox container is not running');
      return {
        url: server.urlOf('portforward', { kind: 'ports', ports, open: (port) => forwardPort(context, sandbox, port) }),
      };
    },
  } satisfies RuntimeServiceHandlers;
}

function running({ containers }: RuntimeContext, id: string): Container {
  const container = containers.get(id);
  if (!container.isRunning) throw new Error(`container is in ${containerStateOf(container)} state`);
  return container;
}
