import type { DownwardAPIVolumeFile, ObjectFieldSelector, Volume } from '../../../../generated/core/v1.ts';
import { setPersistentVolumeClaimSpecDefaults } from '../../persistent-volume-claim/index.ts';
import { sourceDefaulter } from '../../volume/source-defaults.ts';
import { isLatestImage } from '../container/image-name.ts';

const fileMode = 0o644;

export function setObjectFieldSelectorDefaults(selector: ObjectFieldSelector | undefined): void {
  if (selector) selector.apiVersion ||= 'v1';
}

const setFileDefaults = (files: readonly DownwardAPIVolumeFile[] | undefined): void => {
  for (const { fieldRef } of files ?? []) setObjectFieldSelectorDefaults(fieldRef);
};

/** Returns the default pull policy for the image of a container or volume. */
export const defaultPullPolicy = (image: string | undefined): 'Always' | 'IfNotPresent' =>
  isLatestImage(image ?? '') ? 'Always' : 'IfNotPresent';

const setSourceDefaults = sourceDefaulter({
  secret: (source) => {
    source.defaultMode ??= fileMode;
  },
  configMap: (source) => {
    source.defaultMode ??= fileMode;
  },
  downwardAPI: (source) => {
    source.defaultMode ??= fileMode;
    setFileDefaults(source.items);
  },
  projected: (source) => {
    source.defaultMode ??= fileMode;
    for (const { downwardAPI, serviceAccountToken } of source.sources ?? []) {
      setFileDefaults(downwardAPI?.items);
      if (serviceAccountToken) serviceAccountToken.expirationSeconds ??= 3600;
    }
  },
  ephemeral: ({ volumeClaimTemplate: template }) => {
    if (template) setPersistentVolumeClaimSpecDefaults(template.spec);
  },
  image: (source) => {
    source.pullPolicy ||= defaultPullPolicy(source.reference);
  },
});

/** Sets the defaults of a volume. A volume without source is an emptyDir. */
export function setVolumeDefaults(volume: Volume): void {
  if (!setSourceDefaults(volume)) volume.emptyDir = {};
}
