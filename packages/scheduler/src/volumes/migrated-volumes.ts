import type { NodeSelector, NodeSelectorRequirement, PersistentVolume, Volume } from '@coxswain/api/core/v1';
import { type MigratedPlugin, migratedPlugin } from '@coxswain/component-helpers';

/** A volume as identified by its CSI driver. */
export interface CSIVolume {
  readonly driver: string;
  readonly volumeHandle: string;
}

type InTreeVolume = Pick<
  Volume,
  'awsElasticBlockStore' | 'azureDisk' | 'cinder' | 'gcePersistentDisk' | 'portworxVolume'
>;

/** The migrated in-tree plug-ins that the scheduler supports, with the zone label of their drivers, if any. */
const zoneKeys: ReadonlyMap<string, string | undefined> = new Map([
  ['kubernetes.io/gce-pd', 'topology.gke.io/zone'],
  ['kubernetes.io/aws-ebs', 'topology.ebs.csi.aws.com/zone'],
  ['kubernetes.io/cinder', 'topology.cinder.csi.openstack.org/zone'],
  ['kubernetes.io/azure-disk', undefined],
  ['kubernetes.io/portworx-volume', undefined],
]);

const zone = 'topology.kubernetes.io/zone';
const region = 'topology.kubernetes.io/region';
const betaZone = 'failure-domain.beta.kubernetes.io/zone';
const betaRegion = 'failure-domain.beta.kubernetes.io/region';
const zoneDelimiter = '__';
/** Stands for an unknown project, region or zone of a disk. */
const unspecified = 'UNSPECIFIED';

/** Whether the CSI driver of the in-tree plug-in (`kubernetes.io/aws-ebs`) handles its volumes. */
export const isMigrated = (pluginName: string): boolean => zoneKeys.has(pluginName);

/** Returns the in-tree plug-in of an inline volume. */
export function inlinePlugin(volume: Volume): MigratedPlugin | undefined {
  const { csi: _, ...spec } = volume;
  return migratedPlugin({ metadata: {}, spec });
}

/**
 * Translates a PersistentVolume to its CSI volume; undefined when its plug-in is not migrated. Throws an Error when it cannot be
 * translated.
 */
export function translatedVolume({ metadata, spec }: PersistentVolume): CSIVolume | undefined {
  const plugin = migratedPlugin({ metadata, spec });
  if (!plugin || !spec || !isMigrated(plugin.name)) return undefined;
  const zones = metadata.labels?.[betaZone] || metadata.labels?.[zone] || '';
  const volumeHandle = volumeHandleOf(spec, zones.split(zoneDelimiter));
  return { driver: plugin.driver, volumeHandle };
}

/** Translates an inline volume, like `translatedVolume`. */
export function translatedInlineVolume(volume: Volume): CSIVolume | undefined {
  const plugin = inlinePlugin(volume);
  if (!plugin || !isMigrated(plugin.name)) return undefined;
  return { driver: plugin.driver, volumeHandle: volumeHandleOf(volume, ['']) };
}

function volumeHandleOf(source: InTreeVolume, zones: readonly string[]): string {
  const { awsElasticBlockStore, azureDisk, cinder, gcePersistentDisk, portworxVolume } = source;
  if (gcePersistentDisk) return `projects/${unspecified}/${placeOf(zones)}/disks/${gcePersistentDisk.pdName}`;
  if (awsElasticBlockStore) return ebsVolumeId(awsElasticBlockStore.volumeID);
  if (azureDisk?.kind && azureDisk.kind !== 'Managed')
    throw new Error(`kind(${azureDisk.kind}) is not supported in csi migration`);
  return azureDisk?.diskURI ?? cinder?.volumeID ?? portworxVolume?.volumeID ?? '';
}

function placeOf(zones: readonly string[]): string {
  if (zones.length === 1) return `zones/${zones[0] || unspecified}`;
  const regions = new Set(
    zones.map((zone) => {
      const parts = zone.split('-');
      if (parts.length !== 3) {
        throw new Error(
          `failed to get region from zones: zone in unexpected format, expected: {locale}-{region}-{zone}, got: ${zone}`,
        );
      }
      return `${parts[0]}-${parts[1]}`;
    }),
  );
  const [only, ...others] = regions;
  if (others.length > 0) throw new Error('failed to get region from zones: multiple or no regions gotten from zones');
  return `regions/${only}`;
}

/** Extracts the ID from `aws://<zone>/<id>`, `aws:///<id>` or plain `<id>`. */
function ebsVolumeId(id: string): string {
  if (!id.startsWith('aws://')) return id;
  const path = id.slice('aws://'.length).replace(/^[^/]*/, '');
  const plain = path.replace(/^\/+|\/+$/g, '');
  if (!/^vol-[^/]*$/.test(plain)) {
    throw new Error(`failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (${id})`);
  }
  return plain;
}

/** Returns the volume's required node affinity, translated to the node labels of the CSI driver. */
export function translatedAffinity({ metadata, spec }: PersistentVolume): NodeSelector | undefined {
  const required = spec?.nodeAffinity?.required;
  const labels = metadata.labels ?? {};
  const zoneKey = zoneKeys.get(migratedPlugin({ metadata: {}, spec })?.name ?? '');
  if (!zoneKey) return required;
  const terms = required?.nodeSelectorTerms ?? [];
  const keys = new Set(terms.flatMap(({ matchExpressions }) => (matchExpressions ?? []).map(({ key }) => key)));
  const isBeta = !keys.has(zone) && (keys.has(betaZone) || (labels[zone] === undefined && betaZone in labels));
  const ownZone = isBeta ? betaZone : zone;
  const hasZones = terms.some(({ matchExpressions }) =>
    matchExpressions?.some(({ key, values }) => key === ownZone && !!values?.length),
  );
  const renamed = (requirement: NodeSelectorRequirement): NodeSelectorRequirement => {
    if (hasZones && requirement.key === ownZone) return { ...requirement, key: zoneKey };
    if (isBeta && requirement.key === betaRegion) return { ...requirement, key: region };
    return requirement;
  };
  const zones = hasZones ? [] : zonesOf(labels[ownZone]);
  const added: NodeSelectorRequirement[] = zones.length > 0 ? [{ key: zoneKey, operator: 'In', values: zones }] : [];
  if (terms.length === 0) return added.length > 0 ? { nodeSelectorTerms: [{ matchExpressions: added }] } : required;
  return {
    nodeSelectorTerms: terms.map((term) => ({
      ...term,
      matchExpressions: [...(term.matchExpressions ?? []).map(renamed), ...added],
    })),
  };
}

const zonesOf = (label: string | undefined): string[] =>
  [...new Set(label?.split(zoneDelimiter).map((name) => name.trim()))].filter((name) => name !== '').sort();
