import {
  type Handler,
  type Plugin,
  type Query,
  type Reply,
  type Reuse,
  authoritative,
  emptyReply,
} from '../../chain/index.ts';
import type { ClusterWatch } from '../../cluster/index.ts';
import {
  addressBytes,
  addressRecord,
  isReverseName,
  longestZone,
  nameRecord,
  Rcode,
  type ResourceRecord,
  soaRecord,
  Type,
  txtRecord,
} from '../../wire/index.ts';
import type { Setup } from '../setup/index.ts';
import { addressRecords, externalRecords, srvRecords } from './answers.ts';
import { type Backend, ClusterBackend, type Found } from './backend.ts';
import { type KubernetesOptions, kubernetesOptions } from './kubernetes-options.ts';

const name = 'kubernetes';
/** The version of the DNS specification, as the record `dns-version` tells it. */
const schemaVersion = '1.1.0';
const schemaTtl = 28_800;
/** A negative answer is not kept longer than this, whatever the TTL of records is. */
const maxSoaTtl = 300;

/** The plug-in `kubernetes`: names of Services, endpoints and pods, with the answers of CoreDNS. */
export const setupKubernetes: Setup = (directives, context, settings) => {
  const options = kubernetesOptions(directives, context.block);
  settings.startupTimeoutMs = Math.max(settings.startupTimeoutMs, options.startupTimeoutMs);
  const { labels, namespaceLabels, hasEndpoints, pods, usesPodNames: hasPodNames } = options;
  const shared = context.watches.acquire({
    labels,
    namespaceLabels,
    hasEndpoints,
    hasPods: pods === 'verified',
    hasPodNames,
  });
  const answers = new KubernetesAnswers(shared.watch, options, context.localAddresses);
  const plugin: Plugin = {
    name,
    handler: (next) => (query) => answers.answer(query, next),
    isReady: () => shared.watch.isSynced,
    stopped: shared.release,
  };
  return plugin;
};

interface RecordSet {
  readonly answers: readonly ResourceRecord[];
  readonly additionals?: readonly ResourceRecord[];
}

/** Records, `undefined` when the name does not exist. */
type Records = RecordSet | undefined;

const noRecords: RecordSet = { answers: [] };

class KubernetesAnswers {
  readonly #watch: ClusterWatch;
  readonly #options: KubernetesOptions;
  readonly #backend: ClusterBackend;
  readonly #localAddresses: () => readonly string[];

  constructor(watch: ClusterWatch, options: KubernetesOptions, localAddresses: () => readonly string[]) {
    this.#watch = watch;
    this.#options = options;
    this.#backend = new ClusterBackend(watch.index, options);
    this.#localAddresses = localAddresses;
  }

  answer(query: Query, next: Handler): Reply | Promise<Reply> {
    const zone = longestZone(this.#options.zones, query.name);
    if (zone === undefined) return next(query);
    const { type } = query.question;
    if (type === Type.AXFR || type === Type.IXFR) return { ...emptyReply(Rcode.REFUSED), plugin: name };
    // Taken before the index is read, so that a change in between makes the answer out of date.
    const { epoch } = this.#watch.index;
    const reuse = this.#watch.isSynced ? { epoch, value: epoch.value } : undefined;
    if (type === Type.A || type === Type.AAAA) {
      const found = this.#addresses(query.name, zone, type);
      const [first] = found === 'no such name' ? [] : found;
      // The answer depends on another server: it is not reused.
      if (first && !first.isAddress) return this.#external(query, zone, first, next);
      return this.#reply(query, zone, next, reuse, this.#addressAnswer(query, found));
    }
    return this.#reply(query, zone, next, reuse, this.#records(query, zone));
  }

  #reply(
    query: Query,
    zone: string,
    next: Handler,
    reuse: Reuse | undefined,
    records: Records,
  ): Reply | Promise<Reply> {
    if (records === undefined) {
      if (this.#options.fallthrough.allows(query.name)) return next(query);
      return this.#negative(zone, this.#watch.isSynced ? Rcode.NXDOMAIN : Rcode.SERVFAIL, reuse);
    }
    if (records.answers.length === 0) return this.#negative(zone, Rcode.NOERROR, reuse);
    return { ...emptyReply(Rcode.NOERROR, authoritative), ...records, plugin: name, reuse };
  }

  #negative(zone: string, rcode: number, reuse: Reuse | undefined): Reply {
    return { ...emptyReply(rcode, authoritative), authorities: [this.#soa(zone)], plugin: name, reuse };
  }

  #soa(zone: string): ResourceRecord {
    const { ttl } = this.#options;
    const minimum = ttl;
    return soaRecord(zone, Math.min(ttl, maxSoaTtl), {
      primary: `ns.dns.${zone}`,
      mailbox: `hostmaster.${zone}`,
      serial: this.#watch.index.modified,
      refresh: 7200,
      retry: 1800,
      expire: 86_400,
      minimum,
    });
  }

  #addresses(asked: string, zone: string, type: number): Found {
    if (asked === `ns.dns.${zone}`) {
      const length = type === Type.A ? 4 : 16;
      return this.#nameServers(zone).filter(({ host }) => addressBytes(host)?.length === length);
    }
    return this.#backend.find(asked, zone);
  }

  #addressAnswer(query: Query, found: Found): Records {
    if (found === 'no such name') return undefined;
    const { name: owner, type } = query.question;
    return { answers: addressRecords(owner, type, found, this.#options.ttl) };
  }

  /** Types other than A and AAAA. */
  #records(query: Query, zone: string): Records {
    const { name: asked, question } = query;
    const { name: owner, type } = question;
    const { ttl } = this.#options;
    switch (type) {
      case Type.TXT:
        if (asked === `dns-version.${zone}`) return { answers: [txtRecord(owner, schemaTtl, [schemaVersion])] };
        // Only a name with records of another type exists.
        return (this.#found(asked, zone)?.length ?? 0) > 0 ? noRecords : undefined;
      case Type.SRV: {
        const found = this.#found(asked, zone);
        return found && srvRecords(owner, found, ttl);
      }
      case Type.CNAME: {
        const found = this.#found(asked, zone);
        const [first] = found ?? [];
        if (!first || first.isAddress) return found && noRecords;
        return { answers: [nameRecord(owner, Type.CNAME, ttl, first.host)] };
      }
      case Type.PTR:
        return this.#reverse(query, zone);
      case Type.SOA:
        return asked === zone ? { answers: [this.#soa(zone)] } : noRecords;
      case Type.NS:
        if (asked === zone) return this.#nameServerRecords(owner, zone);
        break;
      default:
    }
    return this.#found(asked, zone) && noRecords;
  }

  #found(asked: string, zone: string): readonly Backend[] | undefined {
    const found = asked === `ns.dns.${zone}` ? [] : this.#backend.find(asked, zone);
    return found === 'no such name' ? undefined : found;
  }

  #reverse({ name: asked, question }: Query, zone: string): Records {
    const isAddress = isReverseName(asked) && asked !== zone;
    const found = isAddress ? this.#backend.reverse(asked) : this.#backend.find(asked, zone);
    if (found === 'no such name') return undefined;
    if (!isAddress) return noRecords;
    const targets = new Set(found.map(({ target }) => target));
    const { ttl } = this.#options;
    return { answers: Array.from(targets, (target) => nameRecord(question.name, Type.PTR, ttl, target)) };
  }

  #nameServers(zone: string): Backend[] {
    return this.#backend.nameServers(this.#localAddresses(), zone);
  }

  #nameServerRecords(owner: string, zone: string): RecordSet {
    const { ttl } = this.#options;
    const servers = this.#nameServers(zone);
    const targets = new Set(servers.map(({ target }) => target));
    return {
      answers: Array.from(targets, (target) => nameRecord(owner, Type.NS, ttl, target)),
      additionals: servers.map(({ host, target }) => addressRecord(target, ttl, host)),
    };
  }

  async #external(query: Query, zone: string, backend: Backend, next: Handler): Promise<Reply> {
    const find = (target: string): readonly Backend[] => {
      const found = this.#addresses(target, zone, query.question.type);
      return found === 'no such name' ? [] : found;
    };
    const chain = { name: query.question.name, zone, ttl: this.#options.ttl, find };
    const { records } = await externalRecords(query, chain, backend);
    return this.#reply(query, zone, next, undefined, { answers: records });
  }
}
