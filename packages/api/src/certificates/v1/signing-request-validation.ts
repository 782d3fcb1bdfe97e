import {
  duplicate,
  type ErrorList,
  forbidden,
  invalid,
  type nameIsDnsSubdomain,
  notSupported,
  Path,
  repeated,
  required,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '@coxswain/apimachinery';
import { requiredSupported } from '../../core/v1/checks.ts';
import { validateSignerName } from '../../core/v1/pod/index.ts';
import type { CertificateSigningRequest, CertificateSigningRequestCondition } from '../../generated/certificates/v1.ts';
import type { StrategyContext } from '../../strategy/strategy.ts';
import { certificateProblem, requestProblem } from './request-pem.ts';

type Conditions = readonly CertificateSigningRequestCondition[];

/** A signer that only v1beta1 allows. */
export const legacyUnknownSignerName = 'kubernetes.io/legacy-unknown';

const specPath = Path.of('spec');
const conditionsPath = Path.of('status', 'conditions');
const certificatePath = Path.of('status', 'certificate');
const minExpirationSeconds = 600;
const approvalTypes = ['Approved', 'Denied'];
/** Conditions that, once added, must stay and must be true. */
const finalTypes = [...approvalTypes, 'Failed'];

const usages: readonly string[] = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

const conditionsOf = ({ status }: CertificateSigningRequest): Conditions => status?.conditions ?? [];
const usagesOf = ({ spec }: CertificateSigningRequest): readonly string[] => spec.usages ?? [];
const hasDuplicates = (values: readonly string[]): boolean => new Set(values).size < values.length;
const typesOf = (request: CertificateSigningRequest): string[] => conditionsOf(request).map(({ type }) => type);
const countOf = (request: CertificateSigningRequest, type: string): number =>
  typesOf(request).filter((other) => other === type).length;

/** Validates a request, on create without `old`, and on update. Rules that the old request breaks do not apply to an update. */
export function validateSigningRequest(
  request: CertificateSigningRequest,
  old: CertificateSigningRequest | undefined,
  { signatures }: StrategyContext,
): ErrorList {
  const { spec, status } = request;
  const problem = requestProblem(spec.request, signatures);
  const errors = problem ? [invalid(specPath.child('request'), spec.request, problem)] : [];
  errors.push(...validateUsages(usagesOf(request), old ? usagesOf(old) : []));
  const signerPath = specPath.child('signerName');
  if (spec.signerName === legacyUnknownSignerName && old?.spec.signerName !== legacyUnknownSignerName)
    errors.push(invalid(signerPath, spec.signerName, 'the legacy signerName is not allowed via this API version'));
  else errors.push(...validateSignerName(signerPath, spec.signerName));
  const { expirationSeconds: seconds } = spec;
  if (seconds !== undefined && seconds < minExpirationSeconds) {
    const detail = 'may not specify a duration less than 600 seconds (10 minutes)';
    errors.push(invalid(specPath.child('expirationSeconds'), seconds, detail));
  }
  errors.push(...validateConditions(request, old));
  const isOldCertificate = old && (status?.certificate ?? '') === (old.status?.certificate ?? '');
  const certificate =
    isOldCertificate || certificateProblem(old?.status?.certificate, signatures) ? undefined : status?.certificate;
  const badCertificate = certificateProblem(certificate, signatures);
  if (badCertificate) errors.push(invalid(certificatePath, '<certificate data>', badCertificate));
  return errors;
}

function validateUsages(named: readonly string[], old: readonly string[]): ErrorList {
  const path = specPath.child('usages');
  const errors = named.length === 0 ? [required(path)] : [];
  if (old.every((usage) => usages.includes(usage)))
    named.forEach((usage, i) => {
      if (!usages.includes(usage)) errors.push(notSupported(path.index(i), usage, usages));
    });
  if (!hasDuplicates(old)) {
    const isRepeated = repeated(named);
    named.forEach((usage, i) => {
      if (isRepeated[i]) errors.push(duplicate(path.index(i), usage));
    });
  }
  return errors;
}

function validateConditions(request: CertificateSigningRequest, old: CertificateSigningRequest | undefined): ErrorList {
  const oldTypes = old ? typesOf(old) : [];
  const allowEmptyType = oldTypes.includes('');
  const allowBoth = approvalTypes.every((type) => oldTypes.includes(type));
  const allowDuplicates = hasDuplicates(oldTypes);
  const types = typesOf(request);
  return conditionsOf(request).flatMap(({ type, status }, i) => {
    const path = conditionsPath.index(i);
    const before = types.slice(0, i);
    const errors = type || allowEmptyType ? [] : [required(path.child('type'))];
    const values = finalTypes.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
    errors.push(...requiredSupported(path.child('status'), status, values));
    const contrary = approvalTypes.find((other) => other !== type)!;
    if (!allowBoth && approvalTypes.includes(type) && before.includes(contrary))
      errors.push(invalid(conditionsPath, type, 'Approved and Denied conditions are mutually exclusive'));
    if (!allowDuplicates && before.includes(type)) errors.push(duplicate(path.child('type'), type));
    return errors;
  });
}

/** The changes that only updates of certain subresources may make. */
export interface UpdateRights {
  readonly approve?: boolean;
  readonly issue?: boolean;
}

/** Applies all rules of an update, metadata included, in upstream's order. */
export function validateSigningRequestUpdate(
  request: CertificateSigningRequest,
  old: CertificateSigningRequest,
  context: StrategyContext,
  { approve, issue }: UpdateRights = {},
): ErrorList {
  const metadata = Path.of('metadata');
  const errors = [
    ...validateObjectMeta(request.metadata, false, anyName, metadata),
    ...validateSigningRequest(request, old, context),
  ];
  const complain = (verb: string, type: string) =>
    errors.push(forbidden(conditionsPath, `updates may not ${verb} a condition of type "${type}"`));
  for (const type of finalTypes) if (countOf(request, type) < countOf(old, type)) complain('remove', type);
  // Existing approvals need no check: without the right to approve, `prepareForUpdate` has restored the old ones.
  if (!approve)
    for (const type of approvalTypes) if (countOf(request, type) > countOf(old, type)) complain('add', type);
  const before = old.status?.certificate ?? '';
  if ((request.status?.certificate ?? '') !== before) {
    if (!issue) errors.push(forbidden(certificatePath, 'updates may not set certificate content'));
    else if (before) errors.push(forbidden(certificatePath, 'updates may not modify existing certificate content'));
  }
  return [...errors, ...validateObjectMetaUpdate(request.metadata, old.metadata, metadata)];
}

/** Accepts every name: only the generic rules for path segments apply. */
export const anyName: typeof nameIsDnsSubdomain = () => [];
