import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { Clock } from '@coxswain/client';
import { pending } from './pending.ts';
import { decodeMessage, encodeMessage, Flag, type Message, opcodeOf, type Question } from '../../wire/index.ts';

export interface UpstreamAddress {
  readonly address: string;
  readonly port: number;
}

/**
 * Asks over UDP from a new socket: the port is another one each time, and only packets of the server arrive. What is not the answer to this very question is
 * ignored, so somebody who guesses has only one try for each packet, until the time is over.
 */
export function udpExchange(to: UpstreamAddress, message: Message, timeoutMs: number, clock: Clock): Promise<Message> {
  const { promise, resolve, reject } = pending<Message>();
  const socket = createSocket({ type: isIPv6(to.address) ? 'udp6' : 'udp4' });
  const timer = clock.setTimeout(() => reject(new Error(`read udp ${addressText(to)}: i/o timeout`)), timeoutMs);
  const bytes = encodeMessage(message);
  socket.on('message', (packet) => {
    const answer = answerTo(message, packet);
    if (answer) resolve(answer);
  });
  socket.on('error', (cause) => reject(new Error(`read udp ${addressText(to)}: ${cause.message}`, { cause })));
  socket.connect(to.port, to.address, () => socket.send(bytes));
  return promise.finally(() => {
    timer.cancel();
    socket.close();
  });
}

export const addressText = ({ address, port }: UpstreamAddress): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;

/** Returns the message if it is the answer to the query: the same id and question. */
export function answerTo(query: Message, packet: Buffer): Message | undefined {
  let answer: Message;
  try {
    answer = decodeMessage(packet);
  } catch {
    return undefined;
  }
  const [asked] = query.questions;
  const [answered, ...more] = answer.questions;
  const isReply = (answer.flags & Flag.QR) !== 0 && opcodeOf(answer.flags) === opcodeOf(query.flags);
  return isReply && answer.id === query.id && asked && answered && more.length === 0 && isSame(asked, answered)
    ? answer
    : undefined;
}

const isSame = (a: Question, b: Question): boolean =>
  a.type === b.type && a.class === b.class && a.name.toLowerCase() === b.name.toLowerCase();
