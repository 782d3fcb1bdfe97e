import {
  duplicate,
  type ErrorList,
  invalid,
  Path,
  repeated,
  required,
  semanticEqual,
  validateImmutableField,
} from '@coxswain/apimachinery';
import { unlessSupported } from '../../core/v1/checks.ts';
import type { FeatureName } from '../../features/feature-gates.ts';
import type { CSIDriver, CSIDriverSpec, TokenRequest } from '../../generated/storage/v1.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { Strategy, StrategyContext } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';

const specPath = Path.of('spec');
const fsGroupPolicies = ['File', 'None', 'ReadWriteOnceWithFSType'];
const lifecycleModes = ['Persistent', 'Ephemeral'];
const minTokenSeconds = 10 * 60;
const maxTokenSeconds = 2 ** 32;
const tokenWarning =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';

/** Fields that are dropped while their feature is off. */
const gatedFields = {
  seLinuxMount: 'SELinuxMountReadWriteOncePod',
  nodeAllocatableUpdatePeriodSeconds: 'MutableCSINodeAllocatableCount',
  serviceAccountTokenInSecrets: 'CSIServiceAccountTokenSecrets',
  preventPodSchedulingIfMissing: 'VolumeLimitScaling',
} as const satisfies Partial<Record<keyof CSIDriverSpec, FeatureName>>;

export function setCSIDriverDefaults({ spec }: Pick<CSIDriver, 'spec'>): void {
  spec.attachRequired ??= true;
  spec.podInfoOnMount ??= false;
  spec.storageCapacity ??= false;
  spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
  if (!spec.volumeLifecycleModes?.length) spec.volumeLifecycleModes = ['Persistent'];
  spec.requiresRepublish ??= false;
  spec.seLinuxMount ??= false;
}

function settleGatedFields({ spec }: CSIDriver, old: CSIDriver | undefined, { features }: StrategyContext): void {
  for (const [name, feature] of Object.entries(gatedFields) as [keyof typeof gatedFields, FeatureName][]) {
    if (!features.enabled(feature) && old?.spec[name] === undefined) delete spec[name];
  }
  // Part of upstream's defaulting, but defaulters here have no access to feature gates.
  if (features.enabled('VolumeLimitScaling')) spec.preventPodSchedulingIfMissing ??= false;
}

function validate({ spec }: CSIDriver, { features }: StrategyContext): ErrorList {
  const path = (name: keyof CSIDriverSpec) => specPath.child(name);
  const must = (name: keyof CSIDriverSpec, at = path(name)) => (spec[name] === undefined ? [required(at)] : []);
  const { fsGroupPolicy, tokenRequests = [], volumeLifecycleModes = [], serviceAccountTokenInSecrets } = spec;
  const { nodeAllocatableUpdatePeriodSeconds: period } = spec;
  const errors = [
    ...must('attachRequired', attachedRequired),
    ...must('podInfoOnMount'),
    ...must('storageCapacity'),
    ...(fsGroupPolicy === undefined ? [] : unlessSupported(path('fsGroupPolicy'), fsGroupPolicy, fsGroupPolicies)),
    ...validateTokenRequests(tokenRequests, path('tokenRequests')),
    ...volumeLifecycleModes.flatMap((mode) => unlessSupported(path('volumeLifecycleModes'), mode, lifecycleModes)),
    ...(features.enabled('SELinuxMountReadWriteOncePod') ? must('seLinuxMount') : []),
  ];
  if (period !== undefined && period < 10) {
    const detail = 'must be greater than or equal to 10 seconds';
    errors.push(invalid(path('nodeAllocatableUpdatePeriodSeconds'), period, detail));
  }
  if (serviceAccountTokenInSecrets !== undefined && tokenRequests.length === 0) {
    const detail = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified';
    errors.push(invalid(path('serviceAccountTokenInSecrets'), serviceAccountTokenInSecrets, detail));
  }
  if (features.enabled('VolumeLimitScaling')) errors.push(...must('preventPodSchedulingIfMissing'));
  return errors;
}

/** The name of `attachRequired` in upstream's messages. */
const attachedRequired = specPath.child('attachedRequired');

function validateTokenRequests(requests: readonly TokenRequest[], path: Path): ErrorList {
  const isRepeated = repeated(requests, ({ audience }) => audience);
  return requests.flatMap(({ audience, expirationSeconds: seconds }, i) => {
    if (isRepeated[i]) return [duplicate(path.index(i).child('audience'), audience)];
    const at = path.index(i).child('expirationSeconds');
    if (seconds === undefined) return [];
    if (seconds < minTokenSeconds) return [invalid(at, seconds, 'may not specify a duration less than 10 minutes')];
    if (seconds > maxTokenSeconds) return [invalid(at, seconds, 'may not specify a duration larger than 2^32 seconds')];
    return [];
  });
}

function warningsFor({ spec }: CSIDriver, old: CSIDriver | undefined, { features }: StrategyContext): string[] {
  if (!features.enabled('CSIServiceAccountTokenSecrets')) return [];
  if (!spec.tokenRequests?.length || spec.serviceAccountTokenInSecrets !== undefined) return [];
  return old && semanticEqual(spec.tokenRequests, old.spec.tokenRequests) ? [] : [tokenWarning];
}

export const csiDriverStrategy: Strategy<CSIDriver> = {
  allowUnconditionalUpdate: false,
  prepareForCreate: (driver, context) => settleGatedFields(driver, undefined, context),
  prepareForUpdate(driver, old, context) {
    settleGatedFields(driver, old, context);
    // Create sets no generation: the first change sets it to 1.
    if (semanticEqual(driver.spec, old.spec)) return;
    driver.metadata = { ...driver.metadata, generation: (old.metadata.generation ?? 0) + 1 };
  },
  validate,
  validateUpdate: (driver, old, context) => [
    ...validate(driver, context),
    ...validateImmutableField(driver.spec.attachRequired, old.spec.attachRequired, attachedRequired),
    ...validateImmutableField(
      driver.spec.volumeLifecycleModes,
      old.spec.volumeLifecycleModes,
      specPath.child('volumeLifecycleModes'),
    ),
  ],
  warningsOnCreate: (driver, context) => warningsFor(driver, undefined, context),
  warningsOnUpdate: warningsFor,
  table: {
    columns: columns(
      'Name',
      'AttachRequired:boolean',
      'PodInfoOnMount:boolean',
      'StorageCapacity:boolean',
      'TokenRequests',
      'RequiresRepublish:boolean',
      'Modes',
      'Age',
    ),
    row: ({ metadata, spec }, context) => [
      metadata.name ?? '',
      spec.attachRequired ?? true,
      spec.podInfoOnMount ?? false,
      spec.storageCapacity ?? false,
      spec.tokenRequests?.map(({ audience }) => audience).join(',') ?? '<unset>',
      spec.requiresRepublish ?? false,
      spec.volumeLifecycleModes?.join(',') || '<none>',
      translateTimestampSince(metadata.creationTimestamp, context),
    ],
  },
};
