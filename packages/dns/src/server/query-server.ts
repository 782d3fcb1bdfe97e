import type { Clock, Logger } from '@coxswain/client';
import { type Client, emptyReply, failure, type Query, type Reply } from '../chain/index.ts';
import type { DnsMetrics } from '../metrics/index.ts';
import {
  classIn,
  decodeMessage,
  dnssecOk,
  type Edns,
  encodeMessage,
  Flag,
  headerLength,
  type Message,
  maxMessageLength,
  minUdpSize,
  opcodeOf,
  QueryScanner,
  type Question,
  Rcode,
} from '../wire/index.ts';
import { AnswerTable, answerFor, type KeptAnswer, rotationOf, ttlOffsets } from './answer-table.ts';
import type { ServedZone, ZoneTable } from './zone-table.ts';

export interface QueryServerOptions {
  /** The listener as CoreDNS names it: `dns://:53`. */
  readonly server: string;
  readonly zones: ZoneTable;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  readonly metrics: DnsMetrics;
}

/** How often a question may lead to another one, as targets of CNAME records do. */
const maxDepth = 8;
/** Queries that wait for other servers. Further ones are dropped: their clients ask again. */
const maxPending = 4096;
/** Answers above this are not kept. */
const maxKept = 4096;

/** Answers the packets of one listener. It does no I/O. */
export class QueryServer {
  readonly #options: QueryServerOptions;
  #zones: ZoneTable;
  readonly #table = new AnswerTable();
  readonly #scanner: QueryScanner;
  #pending = 0;

  constructor(options: QueryServerOptions) {
    this.#options = options;
    this.#zones = options.zones;
    this.#scanner = new QueryScanner(Math.floor(options.random() * 2 ** 32) | 1);
  }

  /** From now on, queries are answered by another configuration. */
  use(zones: ZoneTable): void {
    this.#zones = zones;
    this.forgetAnswers();
  }

  /** For changes that no epoch counts. */
  forgetAnswers(): void {
    this.#table.clear();
  }

  /** Returns the answer, or a promise of it; undefined when there is none: for answers, for what is too short, and in a flood. Never throws or rejects. */
  answer(packet: Buffer, client: Client): Buffer | undefined | Promise<Buffer | undefined> {
    const scanner = this.#scanner;
    const isUsual = scanner.scan(packet);
    const kept = isUsual ? this.#table.find(scanner) : undefined;
    if (kept) {
      const again = this.#again(kept, packet, client);
      if (again) return again;
    }
    const start = this.#options.clock.monotonic();
    try {
      return this.#answer(packet, client, start, isUsual);
    } catch (error) {
      this.#options.metrics.panics.with().inc();
      this.#options.logger.error('Failed to answer a query', error);
      return headerOnly(packet, Rcode.SERVFAIL);
    }
  }

  /** Returns a kept answer if it is up to date and fits. */
  #again(kept: KeptAnswer, packet: Buffer, client: Client): Buffer | undefined {
    const { reuse, bytes, rotation, metrics } = kept;
    if (reuse.epoch.value !== reuse.value) return undefined;
    const { clock, random } = this.#options;
    const scanner = this.#scanner;
    const limit = client.protocol === 'tcp' ? maxMessageLength : Math.max(scanner.udpSize, minUdpSize);
    if (bytes.length + (scanner.hasEdns ? 11 : 0) > limit) return undefined;
    const start = metrics ? clock.monotonic() : 0;
    let ageSeconds = 0;
    if (reuse.untilMs !== undefined) {
      const now = clock.now();
      if (now >= reuse.untilMs) return undefined;
      if (reuse.agesFromMs !== undefined) ageSeconds = Math.floor((now - reuse.agesFromMs) / 1000);
    }
    const turn = rotation ? Math.floor(random() * rotation.count) : 0;
    const answer = answerFor(kept, packet, scanner, ageSeconds, turn);
    reuse.onUse?.();
    metrics?.record({
      type: scanner.type,
      protocol: client.protocol,
      family: client.family,
      bufferSize: limit,
      isDo: (scanner.ednsFlags & dnssecOk) !== 0,
      responseSize: answer.length,
      rcode: kept.rcode,
      plugin: kept.plugin,
      seconds: (clock.monotonic() - start) / 1000,
    });
    return answer;
  }

  #answer(
    packet: Buffer,
    client: Client,
    start: number,
    isUsual: boolean,
  ): Buffer | undefined | Promise<Buffer | undefined> {
    const message = readQuery(packet);
    if (!(message && 'questions' in message)) return message;
    const [question] = message.questions;
    if (!question) return headerOnly(packet, Rcode.FORMERR);
    const query = this.#query(message, question, { size: packet.length, client }, 0);
    const zone = this.#zones.find(query);
    const refused = this.#refusal(query, zone);
    if (refused || !zone) return this.#send(query, refused ?? emptyReply(Rcode.REFUSED), undefined, start);
    const reply = zone.handler({ ...query, zone: zone.zone });
    if (!(reply instanceof Promise)) {
      const sent = this.#send(query, reply, zone, start);
      if (isUsual && sent) this.#keep(query, reply, zone);
      return sent;
    }
    if (this.#pending >= maxPending) {
      // Its answer is waited for, so that nothing is left behind, but not sent.
      return reply.then(
        () => undefined,
        () => undefined,
      );
    }
    return this.#later(query, reply, zone, start);
  }

  async #later(query: Query, reply: Promise<Reply>, zone: ServedZone, start: number): Promise<Buffer | undefined> {
    this.#pending++;
    try {
      return this.#send(query, await reply, zone, start);
    } catch (error) {
      this.#options.metrics.panics.with().inc();
      this.#options.logger.error('Failed to answer a query', error);
      return this.#send(query, emptyReply(Rcode.SERVFAIL), zone, start);
    } finally {
      this.#pending--;
    }
  }

  #query(
    { id, flags, edns }: Pick<Message, 'id' | 'flags' | 'edns'>,
    question: Question,
    { size, client }: { size: number; client: Client },
    depth: number,
  ): Query {
    return {
      id,
      flags,
      question,
      name: question.name.toLowerCase(),
      edns,
      size,
      client,
      server: this.#options.server,
      zone: '',
      lookup: (name, type) =>
        this.#lookup({ id, flags, edns }, { name, type, class: classIn }, { size, client }, depth + 1),
    };
  }

  async #lookup(
    message: Pick<Message, 'id' | 'flags' | 'edns'>,
    question: Question,
    from: { size: number; client: Client },
    depth: number,
  ): Promise<Reply> {
    if (depth > maxDepth) return failure('', new Error('too many lookups for one query'));
    const query = this.#query(message, question, from, depth);
    const zone = this.#zones.find(query);
    return zone ? zone.handler({ ...query, zone: zone.zone }) : emptyReply(Rcode.REFUSED);
  }

  #refusal({ question, edns }: Query, zone: ServedZone | undefined): Reply | undefined {
    if (question.class !== classIn && !this.#zones.allowsClasses) return emptyReply(Rcode.REFUSED);
    if (edns && edns.version !== 0) return emptyReply(Rcode.BADVERS);
    return zone ? undefined : emptyReply(Rcode.REFUSED);
  }

  #send(query: Query, reply: Reply, zone: ServedZone | undefined, start: number): Buffer | undefined {
    if (reply.isDropped) return undefined;
    const { client, edns, question } = query;
    const limit = client.protocol === 'tcp' ? maxMessageLength : Math.max(edns?.udpSize ?? 0, minUdpSize);
    const bytes = encodeMessage(responseTo(query, reply), limit);
    const { metrics = this.#zones.dropped } = zone ?? {};
    metrics?.record({
      type: question.type,
      protocol: client.protocol,
      family: client.family,
      bufferSize: limit,
      isDo: isDo(edns),
      responseSize: bytes.length,
      rcode: reply.rcode,
      plugin: reply.plugin ?? '',
      seconds: (this.#options.clock.monotonic() - start) / 1000,
    });
    return bytes;
  }

  /** Keeps an answer whose plug-ins allow it. The scanner still has this query. */
  #keep(query: Query, reply: Reply, { metrics }: ServedZone): void {
    const { reuse } = reply;
    if (!reuse) return;
    const plain = { ...query, id: 0, flags: query.flags & Flag.AD, edns: undefined };
    const encoded = encodeMessage(responseTo({ ...plain, edns: undefined }, reply, isDo(query.edns)));
    if (encoded.length > maxKept) return;
    // Memory of its own: a part of Node's pool would hold the 8 KiB around it, too.
    const bytes = Buffer.allocUnsafeSlow(encoded.length);
    encoded.copy(bytes);
    this.#table.keep(this.#scanner, {
      bytes,
      reuse,
      ttlOffsets: reuse.agesFromMs === undefined ? [] : ttlOffsets(bytes),
      rotation: reuse.rotates ? rotationOf(bytes) : undefined,
      rcode: reply.rcode,
      plugin: reply.plugin ?? '',
      metrics,
    });
  }
}

const isDo = (edns: Edns | undefined): boolean => ((edns?.flags ?? 0) & dnssecOk) !== 0;

/** Returns a well-formed query with one question; a packet that refuses it; or undefined for what is not answered. */
function readQuery(packet: Buffer): Message | Buffer | undefined {
  if (packet.length < headerLength) return undefined;
  const flags = packet.readUInt16BE(2);
  // Answering answers would let two servers talk to each other forever.
  if ((flags & Flag.QR) !== 0) return undefined;
  if (opcodeOf(flags) !== 0) return headerOnly(packet, Rcode.NOTIMP);
  const isUsual = packet.readUInt16BE(4) === 1 && packet.readUInt16BE(6) <= 1 && packet.readUInt16BE(8) <= 1;
  if (!isUsual || packet.readUInt16BE(10) > 2) return headerOnly(packet, Rcode.FORMERR);
  try {
    return decodeMessage(packet);
  } catch {
    // Not well-formed.
    return headerOnly(packet, Rcode.FORMERR);
  }
}

/** A refusal without a question, for packets whose question cannot be read. */
function headerOnly(packet: Buffer, rcode: number): Buffer {
  const flags = packet.readUInt16BE(2);
  const header = Buffer.alloc(headerLength);
  packet.copy(header, 0, 0, 2);
  header.writeUInt16BE(Flag.QR | (flags & (0x7800 | Flag.RD | Flag.CD)) | rcode, 2);
  return header;
}

/** The whole message: what the reply says, and what is copied from the query. */
function responseTo(query: Query, reply: Reply, wantsAd = isDo(query.edns)): Message {
  const { id, flags, question, edns } = query;
  const { rcode, answers, authorities, additionals } = reply;
  const replyFlags = wantsAd || (flags & Flag.AD) !== 0 ? reply.flags : reply.flags & ~Flag.AD;
  return {
    id,
    flags: Flag.QR | (flags & (Flag.RD | Flag.CD)) | replyFlags | (rcode & 0xf),
    questions: [question],
    answers,
    authorities,
    additionals,
    edns: edns && {
      udpSize: rcode === Rcode.BADVERS ? 0 : edns.udpSize,
      version: 0,
      extendedRcode: rcode >> 4,
      flags: rcode === Rcode.BADVERS ? 0 : edns.flags & 0xff00,
      options: Buffer.alloc(0),
    },
  };
}
