import {
  type ErrorList,
  invalid,
  isConfigMapKey,
  Path,
  required,
  validateImmutableField,
} from '@coxswain/apimachinery';
import type { LeaseCandidate } from '../../generated/coordination/v1beta1.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';
import { oldestEmulationVersion, validateLeaseStrategyName } from '../v1/lease-strategy-name.ts';
import { compareSemanticVersions, parseSemanticVersion } from './semantic-version.ts';

const path = Path.of('spec');
const notAVersion = 'must be a valid semantic version';
/** The version that upstream uses in place of one that cannot be parsed. */
const zero = parseSemanticVersion('0.0.0')!;

function validate({ spec }: LeaseCandidate): ErrorList {
  const { leaseName, binaryVersion, emulationVersion, strategy } = spec;
  const errors = leaseName ? [] : [required(path.child('leaseName'))];
  const emulation = parseSemanticVersion(emulationVersion ?? '');
  if (emulationVersion && !emulation)
    errors.push(invalid(path.child('emulationVersion'), emulationVersion, notAVersion));
  const binary = parseSemanticVersion(binaryVersion);
  const binaryPath = path.child('binaryVersion');
  if (!binaryVersion) errors.push(required(binaryPath));
  else if (!binary) errors.push(invalid(binaryPath, binaryVersion, notAVersion));
  if (binaryVersion && emulationVersion && compareSemanticVersions(binary ?? zero, emulation ?? zero) < 0)
    errors.push(invalid(binaryPath, binaryVersion, 'must be greater than or equal to `emulationVersion`'));
  const strategyPath = path.child('strategy');
  if (!strategy) return [...errors, required(strategyPath)];
  if (strategy === oldestEmulationVersion && compareSemanticVersions(emulation ?? zero, zero) === 0) {
    const detail = `must be specified when \`strategy\` is '${oldestEmulationVersion}'`;
    errors.push(required(path.child('emulationVersion'), detail));
  }
  return [...errors, ...validateLeaseStrategyName(strategy, strategyPath)];
}

export const leaseCandidateStrategy: Strategy<LeaseCandidate> = {
  validateName: isConfigMapKey,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  validate,
  validateUpdate: (candidate, old) => [
    ...validate(candidate),
    ...validateImmutableField(candidate.spec.leaseName, old.spec.leaseName, path.child('leaseName')),
  ],
  table: {
    columns: columns('Name', 'LeaseName', 'BinaryVersion', 'EmulationVersion', 'Age'),
    row: ({ metadata, spec }, context) => [
      metadata.name ?? '',
      spec.leaseName,
      spec.binaryVersion,
      spec.emulationVersion ?? '',
      translateTimestampSince(metadata.creationTimestamp, context),
    ],
  },
};
