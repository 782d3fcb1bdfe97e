import type { Duplex } from 'node:stream';
import { type Clock, SpdyConnection, TransportError, type WebSocketConnection } from '@coxswain/client';
import { openStreaming } from './streaming-server.ts';

/** The protocol of commands that every runtime's streaming server has: a Status on the error stream. */
const commandProtocol = 'v4.channel.k8s.io';

/** A server that does not take what is still to be sent loses it after this time. */
const closeTimeoutMs = 2000;

/**
 * Opens a session of exec or attach with a runtime's streaming server in SPDY/3.1. Rejects with an Error that has the server's words if it
 * refuses.
 */
export async function openSpdy(url: URL, clock: Clock, signal: AbortSignal): Promise<SpdyConnection> {
  const headers = { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': commandProtocol };
  const { connection, body } = await openStreaming(url, { method: 'POST', headers, signal });
  if (connection) return new SpdyConnection(spdyTransport(connection, clock));
  throw new Error(`unable to upgrade connection: ${Buffer.from(body).toString().trim()}`);
}

/** A byte stream in the place of a WebSocket: frames of SPDY tell their length themselves. */
function spdyTransport(socket: Duplex, clock: Clock): WebSocketConnection {
  return {
    protocol: commandProtocol,
    send: (frame) =>
      new Promise((resolve, reject) => {
        const fail = (cause?: Error | null): void =>
          reject(new TransportError('the connection to the runtime is closed', { ...(cause && { cause }) }));
        if (socket.destroyed || socket.writableEnded) fail();
        else if (socket.write(frame, (error) => (error ? fail(error) : resolve()))) resolve();
      }),
    messages: () => socket,
    close() {
      const timer = clock.setTimeout(() => socket.destroy(), closeTimeoutMs, { background: true });
      socket.once('close', () => timer.cancel());
      socket.end(() => socket.destroy());
    },
  };
}
