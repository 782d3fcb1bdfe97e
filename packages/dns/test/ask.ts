import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import {
  classByName,
  decodeMessage,
  encodeMessage,
  Flag,
  type Message,
  rcodeName,
  rcodeOf,
  recordText,
  type ResourceRecord,
  typeByName,
} from '../src/wire/index.ts';
import type { TestQuery } from './queries.ts';

/** What tests compare of an answer. */
export interface SeenAnswer {
  readonly rcode: string;
  readonly flags: string;
  /** In the order of their text: the order of records has no meaning. */
  readonly answer: readonly string[];
  readonly authority: readonly string[];
  readonly additional: readonly string[];
  readonly edns?: string;
}

export function queryMessage(
  { name, type, class: className = 'IN', flags = Flag.RD, edns }: TestQuery,
  id: number,
): Buffer {
  return encodeMessage({
    id,
    flags,
    questions: [{ name, type: typeByName(type) ?? 0, class: classByName(className) ?? 1 }],
    answers: [],
    authorities: [],
    additionals: [],
    edns: edns && {
      udpSize: edns.udpSize,
      flags: edns.flags ?? 0,
      version: edns.version ?? 0,
      extendedRcode: 0,
      options: Buffer.from(edns.options ?? '', 'hex'),
    },
  });
}

const timeoutMs = 10_000;

/** Sends packets over UDP, `packet` last, and returns the first answer. Rejects when there is none. */
export function sendUdp(port: number, packet: Buffer, before: readonly Buffer[] = []): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    const timer = setTimeout(() => {
      socket.close();
      reject(new Error('no answer'));
    }, timeoutMs);
    socket.once('message', (answer) => {
      clearTimeout(timer);
      socket.close();
      resolve(answer);
    });
    for (const one of [...before, packet]) socket.send(one, port, '127.0.0.1');
  });
}

/** Sends packets over one TCP connection, and returns as many answers. */
export function sendTcp(port: number, packets: readonly Buffer[]): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const answers: Buffer[] = [];
    let received = Buffer.alloc(0);
    const socket = connect(port, '127.0.0.1');
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('no answer')));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the connection was closed')));
    socket.on('data', (data) => {
      received = Buffer.concat([received, data]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const length = received.readUInt16BE(0);
        answers.push(received.subarray(2, 2 + length));
        received = received.subarray(2 + length);
      }
      if (answers.length < packets.length) return;
      resolve(answers);
      socket.destroy();
    });
    for (const packet of packets) {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(packet.length);
      socket.write(Buffer.concat([length, packet]));
    }
  });
}

const id = 4711;

export async function ask(port: number, query: TestQuery): Promise<SeenAnswer> {
  const packet = queryMessage(query, id);
  const [answer] = query.protocol === 'tcp' ? await sendTcp(port, [packet]) : [await sendUdp(port, packet)];
  if (!answer) throw new Error('no answer');
  const message = decodeMessage(answer);
  if (message.id !== id) throw new Error('the answer has another id');
  const [question] = message.questions;
  if (question && question.name !== query.name) throw new Error(`the answer is for ${question.name}`);
  return seen(message);
}

const flagNames = ['QR', 'AA', 'TC', 'RD', 'RA', 'AD', 'CD'] as const;

function seen(message: Message): SeenAnswer {
  const { flags, answers, authorities, additionals, edns } = message;
  return {
    rcode: rcodeName(rcodeOf(message)),
    flags: flagNames.filter((name) => (flags & Flag[name]) !== 0).join(' '),
    answer: texts(answers),
    authority: texts(authorities),
    additional: texts(additionals),
    ...(edns && { edns: `${edns.version} ${edns.udpSize} ${edns.flags.toString(16)} ${edns.options.toString('hex')}` }),
  };
}

/** Names are compared without case. The serial of a SOA record is the time of the last change. */
const texts = (records: readonly ResourceRecord[]): string[] =>
  records
    .map((record) =>
      recordText(record)
        .toLowerCase()
        .replace(/( soa \S+ \S+) \d+/, '$1 serial'),
    )
    .sort();
