import { quote } from '@coxswain/apimachinery';
import type { Volume, VolumeProjection } from '../../../../generated/core/v1.ts';
import { comparable, remember } from './warning-limits.ts';

/** A file of a volume and, if the volume has several sources, its source. */
interface File {
  readonly path: string;
  readonly source: string;
}

const filesOf = (items: readonly { readonly path: string }[] | undefined, source = ''): File[] =>
  (items ?? []).map(({ path }) => ({ path: path.replace(/\/+$/, ''), source }));

const print = ({ path, source }: File): string => (source ? `${quote(path)} (${source})` : quote(path));

/** Reports whether the paths are equal or one is inside the other. */
const overlap = (a: File, b: File): boolean =>
  a.path !== '' && b.path !== '' && (isInside(a.path, b.path) || isInside(b.path, a.path));

const isInside = (path: string, directory: string): boolean =>
  path.startsWith(directory) && (path.length === directory.length || path[directory.length] === '/');

/** The files of a volume that were checked so far. */
class VolumeFiles {
  readonly #volume: string;
  readonly #description: string;
  readonly #warnings: string[];
  readonly #files: File[] = [];

  constructor(volume: string, description: string, warnings: string[]) {
    this.#volume = volume;
    this.#description = description;
    this.#warnings = warnings;
  }

  /** Adds files and warns about overlaps with earlier ones. */
  add(added: readonly File[]): void {
    for (const file of added) {
      for (const earlier of comparable(this.#files, this.#warnings))
        if (overlap(earlier, file)) this.#warn(file, earlier);
      remember(this.#files, file);
    }
  }

  #warn(file: File, earlier: File): void {
    const where = `volume ${quote(this.#volume)} (${this.#description})`;
    this.#warnings.push(`${where}: overlapping paths: ${print(file)} with ${print(earlier)}`);
  }
}

function filesOfSource(source: VolumeProjection): File[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  if (configMap?.items) return filesOf(configMap.items, `ConfigMap ${quote(configMap.name ?? '')}`);
  if (secret?.items) return filesOf(secret.items, `Secret ${quote(secret.name ?? '')}`);
  if (downwardAPI?.items) return filesOf(downwardAPI.items, 'DownwardAPI');
  if (serviceAccountToken) return filesOf([serviceAccountToken], 'ServiceAccountToken');
  if (clusterTrustBundle) {
    const name = clusterTrustBundle.name ?? clusterTrustBundle.signerName ?? '';
    return filesOf([clusterTrustBundle], `ClusterTrustBundle ${quote(name)}`);
  }
  const certificateFile = (path: string | undefined, what: string): File[] =>
    path ? filesOf([{ path }], `PodCertificate ${what}`) : [];
  return [
    ...certificateFile(podCertificate?.certificateChainPath, 'chain'),
    ...certificateFile(podCertificate?.keyPath, 'key'),
    ...certificateFile(podCertificate?.credentialBundlePath, 'credential bundle'),
  ];
}

/** Adds warnings about files of the same volume with overlapping paths. */
export function addOverlappingPathWarnings(volumes: readonly Volume[], warnings: string[]): void {
  for (const { name, configMap, secret, downwardAPI, projected } of volumes) {
    const add = (items: Parameters<typeof filesOf>[0], description: string) =>
      new VolumeFiles(name, description, warnings).add(filesOf(items));
    if (configMap?.items) add(configMap.items, `ConfigMap ${quote(configMap.name ?? '')}`);
    if (secret?.items) add(secret.items, `Secret ${quote(secret.secretName ?? '')}`);
    if (downwardAPI?.items) add(downwardAPI.items, 'DownwardAPI');
    if (!projected?.sources) continue;
    const files = new VolumeFiles(name, 'Projected', warnings);
    for (const source of projected.sources) {
      if (Object.keys(source).length > 0) files.add(filesOfSource(source));
      else warnings.push(`volume ${quote(name)} (Projected) has no sources provided`);
    }
  }
}
