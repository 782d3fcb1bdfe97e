import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { decodeMessage, encodeMessage, Flag, type Message, parseRecord, Rcode, typeName } from '../src/wire/index.ts';

const soa = 'example.org. 120 IN SOA ns.example.org. admin.example.org. 1 2 3 4 60';

/** By name: records by type. */
const records: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'www.example.org.': {
    A: ['www.example.org. 300 IN A 192.0.2.1', 'www.example.org. 20 IN A 192.0.2.2'],
    AAAA: ['www.example.org. 300 IN AAAA 2001:db8::1'],
    TXT: ['www.example.org. 3 IN TXT "hello world" "again"'],
  },
  'alias.example.org.': {
    A: ['alias.example.org. 300 IN CNAME www.example.org.', 'www.example.org. 300 IN A 192.0.2.1'],
    AAAA: ['alias.example.org. 300 IN CNAME www.example.org.', 'www.example.org. 300 IN AAAA 2001:db8::1'],
  },
  'x.up.example.org.': { A: ['x.up.example.org. 300 IN A 192.0.2.3'] },
  'nodata.example.org.': {},
  '1.2.0.192.in-addr.arpa.': { PTR: ['1.2.0.192.in-addr.arpa. 300 IN PTR www.example.org.'] },
};

const rcodes: Readonly<Record<string, number>> = {
  'refused.example.org.': Rcode.REFUSED,
  'servfail.example.org.': Rcode.SERVFAIL,
};

export interface UpstreamServer {
  readonly port: number;
  /** The names that were asked for. */
  readonly asked: string[];
  /** Changes the answer, or drops it. */
  respond: (answer: Message) => Message | undefined;
  close(): Promise<void>;
}

/** A DNS server outside of the cluster, over UDP and TCP. */
export async function startUpstreamServer(): Promise<UpstreamServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address();
  const upstream = {
    port,
    asked,
    respond: (answer: Message): Message | undefined => answer,
    close: async () => {
      await new Promise<void>((resolve) => socket.close(() => resolve()));
      await new Promise<void>((resolve) => tcp.close(() => resolve()));
    },
  };
  const answer = (packet: Buffer): Buffer | undefined => {
    const query = decodeMessage(packet);
    asked.push(query.questions[0]?.name ?? '');
    const response = upstream.respond(answerOf(query));
    return response && encodeMessage(response);
  };
  socket.on('message', (packet, from) => {
    const bytes = answer(packet);
    if (bytes) socket.send(bytes, from.port, from.address);
  });
  const tcp = createServer((connection) => {
    connection.on('error', () => {});
    connection.on('data', (data) => {
      const bytes = answer(data.subarray(2));
      if (bytes) connection.write(Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]));
    });
  });
  await new Promise<void>((resolve) => tcp.listen(port satisfies AddressInfo['port'], '127.0.0.1', () => resolve()));
  return upstream;
}

function answerOf(query: Message): Message {
  const [question] = query.questions;
  const name = question?.name.toLowerCase() ?? '';
  const answers = (records[name]?.[typeName(question?.type ?? 0)] ?? []).map(parseRecord);
  const rcode = rcodes[name] ?? (records[name] ? Rcode.NOERROR : Rcode.NXDOMAIN);
  const isNegative = answers.length === 0 && rcodes[name] === undefined;
  return {
    ...query,
    flags: Flag.QR | Flag.RA | (query.flags & Flag.RD) | rcode,
    answers,
    authorities: isNegative ? [parseRecord(soa)] : [],
    additionals: [],
    edns: query.edns && { udpSize: 1232, version: 0, extendedRcode: 0, flags: 0, options: Buffer.alloc(0) },
  };
}
