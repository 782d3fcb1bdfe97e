import { ownEntry } from '@coxswain/apimachinery';
import { setPersistentVolumeClaimDefaults } from '../../core/v1/persistent-volume-claim/index.ts';
import { setPodTemplateSpecDefaults } from '../../core/v1/pod/index.ts';
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from '../../generated/apps/v1.ts';
import {
  integerAnnotation,
  rollbackToAnnotation,
  setAnnotation,
  templateGenerationAnnotation,
} from './legacy-annotations.ts';
import type { WithSpec } from './with-spec.ts';

/** Throws DecodeError when the annotation `deprecated.deployment.rollback.to` is not an integer. */
export function setDeploymentDefaults({ metadata, spec }: WithSpec<Deployment>): void {
  spec.replicas ??= 1;
  spec.strategy ??= {};
  const { strategy } = spec;
  strategy.type ||= 'RollingUpdate';
  if (strategy.type === 'RollingUpdate') {
    strategy.rollingUpdate ??= {};
    strategy.rollingUpdate.maxUnavailable ??= '25%';
    strategy.rollingUpdate.maxSurge ??= '25%';
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
  setPodTemplateSpecDefaults(spec.template);
  const revision = ownEntry(metadata.annotations, rollbackToAnnotation);
  if (revision === undefined) return;
  const context = `failed to parse annotation[${rollbackToAnnotation}]=${revision} as int64: `;
  const value = revision === '' ? undefined : integerAnnotation(metadata, rollbackToAnnotation, context);
  setAnnotation(metadata, rollbackToAnnotation, value?.toString());
}

export function setReplicaSetDefaults({ spec }: WithSpec<ReplicaSet>): void {
  spec.replicas ??= 1;
  spec.template ??= {};
  setPodTemplateSpecDefaults(spec.template);
}

/** Throws DecodeError when the annotation `deprecated.daemonset.template.generation` is not an integer. */
export function setDaemonSetDefaults({ metadata, spec }: WithSpec<DaemonSet>): void {
  spec.updateStrategy ??= {};
  const { updateStrategy } = spec;
  updateStrategy.type ||= 'RollingUpdate';
  if (updateStrategy.type === 'RollingUpdate') {
    updateStrategy.rollingUpdate ??= {};
    updateStrategy.rollingUpdate.maxUnavailable ??= 1;
    updateStrategy.rollingUpdate.maxSurge ??= 0;
  } else if (updateStrategy.rollingUpdate) {
    // Has no meaning here, but upstream's conversion turns unset values into zero.
    updateStrategy.rollingUpdate.maxUnavailable ??= 0;
    updateStrategy.rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
  setPodTemplateSpecDefaults(spec.template);
  const generation = integerAnnotation(metadata, templateGenerationAnnotation) ?? 0n;
  setAnnotation(metadata, templateGenerationAnnotation, generation.toString());
}

/** Sets all defaults except `maxUnavailable`, which depends on a feature gate: the strategy sets it. */
export function setStatefulSetDefaults({ spec }: WithSpec<StatefulSet>): void {
  spec.podManagementPolicy ||= 'OrderedReady';
  spec.updateStrategy ??= {};
  const { updateStrategy } = spec;
  if (!updateStrategy.type) {
    updateStrategy.type = 'RollingUpdate';
    updateStrategy.rollingUpdate ??= {};
  }
  if (updateStrategy.type === 'RollingUpdate' && updateStrategy.rollingUpdate)
    updateStrategy.rollingUpdate.partition ??= 0;
  spec.persistentVolumeClaimRetentionPolicy ??= {};
  spec.persistentVolumeClaimRetentionPolicy.whenDeleted ||= 'Retain';
  spec.persistentVolumeClaimRetentionPolicy.whenScaled ||= 'Retain';
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.apiVersion = 'v1';
    claim.kind = 'PersistentVolumeClaim';
    setPersistentVolumeClaimDefaults(claim);
  }
  setPodTemplateSpecDefaults(spec.template);
}
