import type { Counter, Histogram } from '@coxswain/component-base/metrics';
import { rcodeName, typeByName, typeName } from '../wire/index.ts';
import type { DnsMetrics } from './dns-metrics.ts';

/** What is measured of one query and its answer. */
export interface Measured {
  readonly type: number;
  readonly protocol: 'udp' | 'tcp';
  readonly family: 4 | 6;
  /** The size of the client's buffer. */
  readonly bufferSize: number;
  readonly isDo: boolean;
  readonly responseSize: number;
  readonly rcode: number;
  readonly plugin: string;
  readonly seconds: number;
}

/** A type's name, or `other` for one that has none: clients may send any of 65536. */
function typeLabel(type: number): string {
  const name = typeName(type);
  return typeByName(name) === undefined ? 'other' : name;
}

/** Records the queries of one zone at one listener. The metrics of each combination of labels are looked up once: that takes longer than answering. */
export class ZoneMetrics {
  readonly #metrics: DnsMetrics;
  readonly #server: string;
  readonly #zone: string;
  readonly #requests = new Map<number, Counter>();
  readonly #responses = new Map<string, Map<number, Counter>>();
  readonly #duration: Histogram;
  readonly #withDo: Counter;
  readonly #requestSizes: { readonly udp: Histogram; readonly tcp: Histogram };
  readonly #responseSizes: { readonly udp: Histogram; readonly tcp: Histogram };

  constructor(metrics: DnsMetrics, server: string, zone: string) {
    this.#metrics = metrics;
    this.#server = server;
    this.#zone = zone;
    this.#duration = metrics.requestDuration.with(server, zone, '');
    this.#withDo = metrics.requestsWithDo.with(server, zone, '');
    const { requestSize, responseSize } = metrics;
    this.#requestSizes = {
      udp: requestSize.with(server, zone, '', 'udp'),
      tcp: requestSize.with(server, zone, '', 'tcp'),
    };
    this.#responseSizes = {
      udp: responseSize.with(server, zone, '', 'udp'),
      tcp: responseSize.with(server, zone, '', 'tcp'),
    };
  }

  record(measured: Measured): void {
    const { type, protocol, family, rcode, plugin } = measured;
    const key = (type << 2) | (protocol === 'tcp' ? 2 : 0) | (family === 6 ? 1 : 0);
    let requests = this.#requests.get(key);
    if (!requests) {
      const labels = [protocol, family === 6 ? '2' : '1', typeLabel(type)];
      requests = this.#metrics.requests.with(this.#server, this.#zone, '', ...labels);
      this.#requests.set(key, requests);
    }
    requests.inc();
    let byRcode = this.#responses.get(plugin);
    if (!byRcode) {
      byRcode = new Map();
      this.#responses.set(plugin, byRcode);
    }
    let responses = byRcode.get(rcode);
    if (!responses) {
      responses = this.#metrics.responses.with(this.#server, this.#zone, '', rcodeName(rcode), plugin);
      byRcode.set(rcode, responses);
    }
    responses.inc();
    if (measured.isDo) this.#withDo.inc();
    this.#duration.observe(measured.seconds);
    this.#requestSizes[protocol].observe(measured.bufferSize);
    this.#responseSizes[protocol].observe(measured.responseSize);
  }
}
