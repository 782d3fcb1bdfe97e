import {
  type ErrorList,
  invalid,
  isLongerThan,
  Path,
  type Steps,
  tooLong,
  validateImmutableField,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '@coxswain/apimachinery';
import { type PemBlock, pemBlocks } from '@coxswain/apimachinery/der';
import { latin1, type PointCheck, parseCertificate, readable } from '@coxswain/apimachinery/x509';
import { validateClusterTrustBundleName, validateSignerName } from '../../core/v1/pod/index.ts';
import type { ClusterTrustBundle } from '../../generated/certificates/v1beta1.ts';
import type { Strategy, StrategyContext } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';

const maxSize = 1024 * 1024;
const metadataPath = Path.of('metadata');
const signerPath = Path.of('spec', 'signerName');
const bundlePath = Path.of('spec', 'trustBundle');

const omitted = (detail: string) => invalid(bundlePath, '<value omitted>', detail);

function* validate(
  { metadata, spec }: ClusterTrustBundle,
  old: ClusterTrustBundle | undefined,
  { signatures }: StrategyContext,
): Steps<ErrorList> {
  const { signerName = '', trustBundle } = spec;
  const validateName = (name: string, prefix: boolean) => validateClusterTrustBundleName(signerName, name, prefix);
  return [
    ...validateObjectMeta(metadata, false, validateName, metadataPath),
    ...(signerName ? validateSignerName(signerPath, signerName) : []),
    // An unchanged bundle is not validated again: libraries that parse certificates may become stricter.
    ...(old?.spec.trustBundle === trustBundle ? [] : yield* validateBundle(trustBundle, signatures?.isOnCurve)),
  ];
}

function* validateBundle(bundle: string, isOnCurve?: PointCheck): Steps<ErrorList> {
  if (isLongerThan(bundle, maxSize)) return [tooLong(bundlePath, maxSize)];
  const blocks: PemBlock[] = [];
  const problems: ErrorList = [];
  for (const block of pemBlocks(bundle)) {
    const problem = anchorProblem(block, isOnCurve);
    if (problem) problems.push(omitted(`entry ${blocks.length} ${problem}`));
    blocks.push(block);
    yield;
  }
  if (problems.length > 0) return problems;
  if (blocks.length === 0) return [omitted('at least one trust anchor must be provided')];
  const places = new Map<string, number[]>();
  blocks.forEach(({ bytes }, i) => {
    const key = latin1(bytes);
    places.set(key, [...(places.get(key) ?? []), i]);
  });
  return [...places.values()]
    .filter(({ length }) => length > 1)
    .map((indices) => omitted(`duplicate trust anchor (indices [${indices.join(' ')}])`));
}

function anchorProblem({ type, hasHeaders, bytes }: PemBlock, isOnCurve?: PointCheck): string | undefined {
  if (type !== 'CERTIFICATE') return `has bad block type: ${type}`;
  if (hasHeaders) return 'has PEM block headers';
  const certificate = readable(() => parseCertificate(bytes, isOnCurve));
  if (!certificate) return 'does not parse as X.509';
  return certificate.isCA ? undefined : 'does not have the CA bit set';
}

export const clusterTrustBundleStrategy: Strategy<ClusterTrustBundle> = {
  allowUnconditionalUpdate: false,
  validatesMetadata: true,
  validatesMetadataUpdate: true,
  *validateInSteps(bundle, old, context) {
    const errors = yield* validate(bundle, old, context);
    if (!old) return errors;
    return [
      ...errors,
      ...validateObjectMetaUpdate(bundle.metadata, old.metadata, metadataPath),
      ...validateImmutableField(bundle.spec.signerName ?? '', old.spec.signerName ?? '', signerPath),
    ];
  },
  selectableFields: { 'spec.signerName': ({ spec }) => spec.signerName ?? '' },
  table: {
    columns: columns('Name', 'SignerName'),
    row: ({ metadata, spec }) => [metadata.name ?? '', spec.signerName || '<none>'],
  },
};
