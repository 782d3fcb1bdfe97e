import { quote } from '@coxswain/apimachinery';
import type { Volume, VolumeProjection } from '../../../generated/core/v1.ts';

/** A file of a volume and where it comes from, if the volume has several sources. */
interface File {
  readonly path: string;
  readonly source: string;
}

const filesOf = (items: readonly { readonly path: string }[] | undefined, source = ''): File[] =>
  (items ?? []).map(({ path }) => ({ path: path.replace(/\/+$/, ''), source }));

const print = ({ path, source }: File): string => (source ? `${quote(path)} (${source})` : quote(path));

/** One lies inside the other, or they are the same. */
const overlap = (a: File, b: File): boolean =>
  a.path !== '' && b.path !== '' && (`${a.path}/`.startsWith(`${b.path}/`) || `${b.path}/`.startsWith(`${a.path}/`));

/** Adds files to those of the volume; gives the warnings about those that overlap with earlier ones. */
function addFiles(all: File[], added: readonly File[], volume: string, description: string): string[] {
  return added.flatMap((file) => {
    const warnings = all
      .filter((earlier) => overlap(earlier, file))
      .map(
        (earlier) =>
          `volume ${quote(volume)} (${description}): overlapping paths: ${print(file)} with ${print(earlier)}`,
      );
    all.push(file);
    return warnings;
  });
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

/** Files of one volume that cannot both be there. */
export function overlappingPathWarnings(volumes: readonly Volume[]): string[] {
  return volumes.flatMap(({ name, configMap, secret, downwardAPI, projected }) => {
    const projectedFiles: File[] = [];
    return [
      ...addFiles([], filesOf(configMap?.items), name, `ConfigMap ${quote(configMap?.name ?? '')}`),
      ...addFiles([], filesOf(secret?.items), name, `Secret ${quote(secret?.secretName ?? '')}`),
      ...addFiles([], filesOf(downwardAPI?.items), name, 'DownwardAPI'),
      ...(projected?.sources ?? []).flatMap((source) =>
        Object.keys(source).length === 0
          ? [`volume ${quote(name)} (Projected) has no sources provided`]
          : addFiles(projectedFiles, filesOfSource(source), name, 'Projected'),
      ),
    ];
  });
}
