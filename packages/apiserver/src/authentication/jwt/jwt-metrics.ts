import { hashOf } from '../../configuration/reload-metrics.ts';
import { GaugeFamily, HistogramFamily } from '../../metrics/index.ts';

const prefix = 'apiserver_authentication_jwt_authenticator_';

/** Metrics of token authentication and key fetches by issuer, with upstream's names. */
export class JwtMetrics {
  readonly #latency = new HistogramFamily({
    name: `${prefix}latency_seconds`,
    help: 'Latency of JWT authentication in seconds, without cached results.',
    labels: ['result', 'jwt_issuer_hash'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  readonly #fetches = new GaugeFamily({
    name: `${prefix}jwks_fetch_last_timestamp_seconds`,
    help: 'Time of the last fetch of the key set of an issuer.',
    labels: ['result', 'jwt_issuer_hash', 'apiserver_id_hash'],
  });
  readonly #keySets = new GaugeFamily({
    name: `${prefix}jwks_fetch_last_key_set_info`,
    help: 'Hash of the last fetched key set of an issuer.',
    labels: ['jwt_issuer_hash', 'apiserver_id_hash', 'hash'],
  });
  readonly families = [this.#latency, this.#fetches, this.#keySets];
  readonly #serverHash: string;
  readonly #now: () => Date;
  readonly #lastKeySet = new Map<string, string>();

  /** `serverId`: the ID of this server in its identity lease. */
  constructor(serverId: string, now: () => Date) {
    this.#serverHash = hashOf(serverId);
    this.#now = now;
  }

  authenticated(issuer: string, result: 'success' | 'failure', seconds: number): void {
    this.#latency.with(result, hashOf(issuer)).observe(seconds);
  }

  /** Deletes the key set metrics of an issuer that is no longer configured. */
  forget(issuer: string): void {
    for (const result of ['success', 'failure']) this.#fetches.delete(result, hashOf(issuer), this.#serverHash);
    const last = this.#lastKeySet.get(issuer);
    if (last !== undefined) this.#keySets.delete(hashOf(issuer), this.#serverHash, last);
    this.#lastKeySet.delete(issuer);
  }

  /** Records a fetch with the text of the key set, or undefined for a failed one. */
  keysFetched(issuer: string, keySet: string | undefined): void {
    const result = keySet === undefined ? 'failure' : 'success';
    this.#fetches.with(result, hashOf(issuer), this.#serverHash).set(this.#now().getTime() / 1000);
    if (keySet === undefined) return;
    const hash = hashOf(keySet);
    const last = this.#lastKeySet.get(issuer);
    if (last === hash) return;
    if (last !== undefined) this.#keySets.delete(hashOf(issuer), this.#serverHash, last);
    this.#lastKeySet.set(issuer, hash);
    this.#keySets.with(hashOf(issuer), this.#serverHash, hash).set(1);
  }
}
