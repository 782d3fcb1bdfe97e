import { ApiError } from '@coxswain/apimachinery/errors';
import { ChannelPortForward } from './channel-port-forward.ts';
import type { PortForwardConnection, PortForwardTarget } from './forwarded-stream.ts';
import { podPath, type RemoteClient } from './pod-target.ts';
import { SpdyConnection } from './spdy/connection.ts';
import { SpdyPortForward } from './spdy-port-forward.ts';

const tunnelProtocol = 'SPDY/3.1+portforward.k8s.io';

/** Statuses that another protocol would get as well. */
const finalCodes = new Set([401, 403, 404, 429]);

/**
 * Opens a connection for a pod's ports. Rejects with an ApiError when the server rejects it, and with a TransportError.
 */
export async function openPortForward(client: RemoteClient, target: PortForwardTarget): Promise<PortForwardConnection> {
  const { signal, protocol } = target;
  if (protocol !== 'channels') {
    try {
      const webSocket = await client.openWebSocket({
        path: podPath(target, 'portforward'),
        protocols: [tunnelProtocol],
        ...(signal && { signal }),
      });
      return new SpdyPortForward(new SpdyConnection(webSocket));
    } catch (error) {
      const isFinal = error instanceof ApiError && finalCodes.has(error.status.code ?? 0);
      if (protocol === 'spdy' || isFinal || signal?.aborted) throw error;
    }
  }
  return new ChannelPortForward(client, target);
}
