import type { Clock } from '@coxswain/client';
import { failure, type Handler, type Plugin, type Query, type Reply } from '../../chain/index.ts';
import type { DnsMetrics } from '../../metrics/index.ts';
import { Flag, isInZone, type Message, Rcode, rcodeOf, Type } from '../../wire/index.ts';
import type { Setup } from '../setup/index.ts';
import { type ForwardOptions, forwardOptions } from './forward-options.ts';
import { newId } from './unpredictable.ts';
import { Upstream } from './upstream.ts';

const name = 'forward';
/** How long to try all servers together. */
const deadlineMs = 5000;
/** Each has a socket: more would exhaust the file descriptors of the process. */
const maxPending = 1000;

/** The plug-in `forward`: asks other servers. Several directives forward different domains. */
export const setupForward: Setup = async (directives, context) => {
  const { clock, metrics, files, random } = context;
  const forwards: Forward[] = [];
  for (const directive of directives) {
    forwards.push(new Forward(await forwardOptions(directive, files), { clock, metrics, random }));
  }
  const plugin: Plugin = {
    name,
    handler: (next) => (query) => ask(forwards, query, next),
    start: (signal) => {
      for (const forward of forwards) forward.start(signal);
    },
    stopped: async () => {
      await Promise.all(forwards.map((forward) => forward.stopped()));
    },
  };
  return plugin;
};

/** Asks the first that is responsible. Its answer may say that the next one is to be asked. */
async function askAll(forwards: readonly Forward[], query: Query): Promise<Reply> {
  let reply: Reply | undefined;
  for (const forward of forwards) {
    reply = await forward.ask(query);
    if (!forward.passesOn(reply)) break;
  }
  return reply ?? failure(name, new Error('no forwarder defined'));
}

function ask(forwards: readonly Forward[], query: Query, next: Handler): Reply | Promise<Reply> {
  const responsible = forwards.filter((forward) => forward.isFor(query.name));
  return responsible.length === 0 ? next(query) : askAll(responsible, query);
}

class Forward {
  readonly #options: ForwardOptions;
  readonly #upstreams: readonly Upstream[];
  readonly #clock: Clock;
  readonly #metrics: DnsMetrics;
  readonly #random: () => number;
  #pending = 0;
  #turn = 0;
  #signal: AbortSignal | undefined;

  constructor(
    options: ForwardOptions,
    { clock, metrics, random }: { clock: Clock; metrics: DnsMetrics; random: () => number },
  ) {
    this.#options = options;
    this.#clock = clock;
    this.#metrics = metrics;
    this.#random = random;
    const { expireMs, healthCheck, tlsServerName, tlsCa } = options;
    this.#upstreams = options.destinations.map(
      ({ to, isTls }) =>
        new Upstream({
          to,
          tls: isTls ? { serverName: tlsServerName, ...(tlsCa !== undefined && { ca: tlsCa }) } : undefined,
          expireMs,
          healthCheck,
          clock,
          metrics,
        }),
    );
  }

  start(signal: AbortSignal): void {
    this.#signal = signal;
  }

  async stopped(): Promise<void> {
    await Promise.all(this.#upstreams.map((upstream) => upstream.stopped()));
  }

  isFor(asked: string): boolean {
    const { from, except } = this.#options;
    return isInZone(asked, from) && (asked === from || !except.some((zone) => isInZone(asked, zone)));
  }

  passesOn({ rcode, answers }: Reply): boolean {
    const { nextRcodes, passesNodata } = this.#options;
    return nextRcodes.includes(rcode) || (passesNodata && rcode === Rcode.NOERROR && answers.length === 0);
  }

  async ask(query: Query): Promise<Reply> {
    const { maxConcurrent } = this.#options;
    const limit = maxConcurrent === 0 ? maxPending : Math.min(maxConcurrent, maxPending);
    if (this.#pending >= limit) {
      this.#metrics.forwardRejects.with().inc();
      return failure(name, new Error(`concurrent queries exceeded maximum ${limit}`), Rcode.REFUSED);
    }
    this.#pending++;
    try {
      return await this.#ask(query);
    } finally {
      this.#pending--;
    }
  }

  async #ask(query: Query): Promise<Reply> {
    const { maxAttempts, maxFails, failoverRcodes, failsFast, readTimeoutMs } = this.#options;
    const order = this.#order();
    const end = this.#clock.monotonic() + deadlineMs;
    const attempts = maxAttempts ?? 2 * order.length;
    let error: Error | undefined;
    let down = 0;
    let failovers = 0;
    for (let turn = 0, tried = 0; attempts === 0 || tried < attempts; turn++) {
      const leftMs = end - this.#clock.monotonic();
      if (leftMs <= 0) break;
      if (turn % order.length === 0) down = 0;
      let upstream = order[turn % order.length];
      if (!upstream) break;
      if (upstream.isDown(maxFails)) {
        down++;
        if (down < order.length) continue;
        // All are down: perhaps the checks are wrong.
        this.#metrics.forwardBroken.with().inc();
        if (failsFast) break;
        upstream = order[Math.floor(this.#random() * order.length)] ?? upstream;
      }
      try {
        const answer = await this.#exchange(upstream, query, Math.min(readTimeoutMs, leftMs));
        if (failoverRcodes.includes(rcodeOf(answer)) && ++failovers < order.length) continue;
        return replyOf(answer);
      } catch (cause) {
        error = cause instanceof Error ? cause : new Error(String(cause));
        tried++;
        if (maxFails > 0 && this.#signal && !this.#signal.aborted) upstream.check(this.#signal);
      }
    }
    return failure(name, error ?? new Error('no healthy proxies'));
  }

  /** The client's protocol is used, so that what is too long for it is truncated by the other server. */
  async #exchange(upstream: Upstream, query: Query, timeoutMs: number): Promise<Message> {
    const { forcesTcp, prefersUdp } = this.#options;
    const message = messageOf(query);
    const protocol = forcesTcp || (query.client.protocol === 'tcp' && !prefersUdp) ? 'tcp' : 'udp';
    const answer = await upstream.ask(message, protocol, timeoutMs);
    const isTruncated = (answer.flags & Flag.TC) !== 0;
    return isTruncated && protocol === 'udp' && prefersUdp ? upstream.ask(message, 'tcp', timeoutMs) : answer;
  }

  #order(): readonly Upstream[] {
    const all = this.#upstreams;
    const { policy } = this.#options;
    if (policy === 'sequential' || all.length < 2) return all;
    const start = policy === 'round_robin' ? this.#turn++ % all.length : Math.floor(this.#random() * all.length);
    return [...all.slice(start), ...all.slice(0, start)];
  }
}

/** The client's question, with an id of our own. EDNS options are not passed on: they are between two hosts. */
const messageOf = ({ flags, question, edns }: Query): Message => ({
  id: newId(),
  flags: flags & (Flag.RD | Flag.AD | Flag.CD | 0x7800),
  questions: [question],
  answers: [],
  authorities: [],
  additionals: [],
  edns: edns && { ...edns, options: Buffer.alloc(0) },
});

const replyOf = (answer: Message): Reply => ({
  rcode: rcodeOf(answer),
  flags: answer.flags & (Flag.AA | Flag.TC | Flag.RA | Flag.AD),
  answers: answer.answers,
  authorities: answer.authorities,
  additionals: answer.additionals.filter(({ type }) => type !== Type.OPT),
  plugin: name,
});
