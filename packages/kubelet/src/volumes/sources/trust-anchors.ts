import type { ClusterTrustBundle } from '@coxswain/api/certificates/v1beta1';
import type { ClusterTrustBundleProjection } from '@coxswain/api/core/v1';
import { labelSelectorAsSelector } from '@coxswain/apimachinery/labels';
import type { Clock } from '@coxswain/client';
import type { VolumeApi } from './volume-api.ts';

const validForMs = 30_000;

/** The certificates of ClusterTrustBundles. The server is asked again when what it said is older than half a minute. */
export class TrustAnchors {
  readonly #api: Pick<VolumeApi, 'trustBundles'>;
  readonly #clock: Clock;
  #bundles: { readonly value: ReturnType<VolumeApi['trustBundles']>; readonly untilMs: number } | undefined;

  constructor(api: Pick<VolumeApi, 'trustBundles'>, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
  }

  /** Returns the certificates as PEM, each once. Rejects if there is no such bundle, unless it is optional. */
  async pem(projection: ClusterTrustBundleProjection): Promise<string> {
    const { name, signerName, labelSelector, optional } = projection;
    const all = await this.#list();
    if (!all) throw new Error('ClusterTrustBundle projection is not supported by the API server');
    if (name !== undefined) {
      const bundle = all.find(({ metadata }) => metadata.name === name);
      if (!bundle && !optional) {
        throw new Error(`while getting ClusterTrustBundle: clustertrustbundle.certificates.k8s.io "${name}" not found`);
      }
      return certificatesOf(bundle ? [bundle] : []);
    }
    if (signerName === undefined) {
      throw new Error('ClusterTrustBundle projection requires either name or signerName to be set');
    }
    const selector = labelSelectorAsSelector(labelSelector);
    const matching = all.filter(
      ({ metadata, spec }) => spec.signerName === signerName && selector.matches(metadata.labels ?? {}),
    );
    if (matching.length === 0 && !optional) {
      throw new Error('combination of signerName and labelSelector matched zero ClusterTrustBundles');
    }
    return certificatesOf(matching);
  }

  async #list(): Promise<readonly ClusterTrustBundle[] | undefined> {
    const nowMs = this.#clock.now();
    if (!this.#bundles || this.#bundles.untilMs <= nowMs) {
      this.#bundles = { value: this.#api.trustBundles(), untilMs: nowMs + validForMs };
    }
    const { value } = this.#bundles;
    try {
      return await value;
    } catch (error) {
      if (this.#bundles?.value === value) this.#bundles = undefined;
      throw error;
    }
  }
}

/** Texts around the certificates are left out. The order is the same for the same certificates. */
function certificatesOf(bundles: readonly ClusterTrustBundle[]): string {
  const blocks = bundles.flatMap(({ spec }) =>
    [...spec.trustBundle.matchAll(/-----BEGIN [^-]+-----\s+([A-Za-z0-9+/=\s]+?)\s*-----END [^-]+-----/g)].map(
      ([, body = '']) => body.replace(/\s+/g, ''),
    ),
  );
  return [...new Set(blocks)]
    .sort()
    .map((body) => `-----BEGIN CERTIFICATE-----\n${body.replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`)
    .join('');
}
