import type { Volume } from '@coxswain/api/core/v1';
import { type Check, type CheckPod, plural, quoted, sortedSet } from './check.ts';

type Source = Exclude<keyof Volume, 'name'>;

const allowed: readonly Source[] = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

/** A volume with several sources is named by the first one in this list. */
const restricted: readonly Source[] = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
];

const firstOf = (volume: Volume, sources: readonly Source[]): Source | undefined =>
  sources.find((source) => volume[source] !== undefined);
const named = (volumes: readonly Volume[]): string =>
  `${plural(volumes.length, 'volume')} ${quoted(volumes.map(({ name }) => name))}`;

const checkHostPath: CheckPod = ({ spec }) => {
  const bad = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined);
  return bad.length > 0 ? { reason: 'hostPath volumes', detail: named(bad) } : undefined;
};

const checkTypes: CheckPod = ({ spec }) => {
  const bad = (spec.volumes ?? []).filter((volume) => !firstOf(volume, allowed));
  if (bad.length === 0) return undefined;
  const types = sortedSet(bad.map((volume) => firstOf(volume, restricted) ?? 'unknown'));
  const use = `${plural(bad.length, 'uses', 'use')} ${plural(types.length, 'restricted volume type')}`;
  return { reason: 'restricted volume types', detail: `${named(bad)} ${use} ${quoted(types)}` };
};

export const hostPathVolumes: Check = {
  id: 'hostPathVolumes',
  level: 'baseline',
  versions: [{ since: 0, check: checkHostPath }],
};

export const restrictedVolumes: Check = {
  id: 'restrictedVolumes',
  level: 'restricted',
  versions: [{ since: 0, check: checkTypes }],
  replaces: 'hostPathVolumes',
};
