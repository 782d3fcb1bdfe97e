import type { ChannelSocket } from './channel-socket.ts';
import { type CommandClient, oldStatusOf, statusOf } from './command-client.ts';
import type { CommandStreams } from './session-backend.ts';

/** Protocols of commands over WebSockets, the best first. A client that names none gets the oldest. */
export const channelCommandProtocols = [
  'v5.channel.k8s.io',
  'v4.channel.k8s.io',
  'v4.base64.channel.k8s.io',
  'base64.channel.k8s.io',
  'channel.k8s.io',
] as const;

const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;

/** A client of a command whose streams are channels of a WebSocket. */
export function channelCommandClient(socket: ChannelSocket, protocol: string, streams: CommandStreams): CommandClient {
  const { stdin, stdout, stderr, tty } = streams;
  const wanted = { stdout, stderr: stderr && !tty };
  const hasStatus = protocol.startsWith('v');
  // An empty message on the lowest channel tells the client that the session is open.
  void socket.send(
    wanted.stdout ? channels.stdout : wanted.stderr ? channels.stderr : channels.error,
    new Uint8Array(),
  );
  return {
    stdin: stdin ? socket.receive(channels.stdin) : undefined,
    resizes: tty ? socket.receive(channels.resize) : undefined,
    closed: socket.closed,
    async write(name, bytes) {
      if (wanted[name]) await socket.send(channels[name], bytes);
    },
    async finish(outcome) {
      const text = hasStatus ? statusOf(outcome) : oldStatusOf(outcome);
      if (text !== '') await socket.send(channels.error, Buffer.from(text));
      socket.close();
    },
  };
}
