import {
  type ErrorList,
  invalid,
  isLongerThan,
  notSupported,
  omittedValue,
  Path,
  required,
  semanticEqual,
  tooLong,
  validateConditions,
} from '@coxswain/apimachinery';
import { pemBlocks } from '@coxswain/apimachinery/der';
import {
  type Certificate,
  type PointCheck,
  parseCertificate,
  readable,
  samePublicKey,
} from '@coxswain/apimachinery/x509';
import type { PodCertificateRequest, PodCertificateRequestStatus } from '../../generated/certificates/v1beta1.ts';
import type { StrategyContext } from '../../strategy/strategy.ts';
import { requestedKey } from './pod-certificate-request-spec.ts';

const statusPath = Path.of('status');
const chainPath = statusPath.child('certificateChain');
const maxChainSize = 100 * 1024;
const minute = 60_000;
const hour = 60 * minute;
const finalTypes = ['Issued', 'Denied', 'Failed'];

const isFinal = ({ status }: PodCertificateRequest, ...types: readonly string[]): boolean =>
  status?.conditions?.some(({ type, status: value }) => types.includes(type) && value === 'True') ?? false;

/** Validates a status: it has at most one final condition, and its fields must match the issued certificate. */
export function validatePodCertificateRequestStatus(
  request: PodCertificateRequest,
  old: PodCertificateRequest,
  context: StrategyContext,
): ErrorList {
  const status = request.status ?? {};
  const errors = validateFinalConditions(status);
  if (errors.length > 0) return errors;
  const unless = (isSame: boolean, detail: string) => (isSame ? [] : [invalid(statusPath, omittedValue, detail)]);
  const isUnchanged = semanticEqual(status, old.status ?? {});
  if (isFinal(old, ...finalTypes))
    return unless(isUnchanged, 'immutable after PodCertificateRequest is issued, denied, or failed');
  if (isFinal(request, 'Denied', 'Failed')) {
    const { conditions: _, ...rest } = status;
    const isEmpty = Object.values(rest).every((value) => value === undefined || value === null || value === '');
    return unless(
      isEmpty,
      'non-condition status fields must be empty when denying or failing the PodCertificateRequest',
    );
  }
  if (isFinal(request, 'Issued')) return validateIssued(status, request, context);
  return unless(isUnchanged, 'status is immutable unless transitioning to "Issued", "Denied", or "Failed"');
}

function validateFinalConditions({ conditions = [] }: PodCertificateRequestStatus): ErrorList {
  const errors: ErrorList = [];
  let known = 0;
  conditions.forEach(({ type, status }, i) => {
    // Upstream's paths have a dot before the index.
    const path = statusPath.child('conditions', `[${i}]`);
    if (!finalTypes.includes(type)) {
      errors.push(notSupported(path.child('type'), type, finalTypes));
      return;
    }
    if (++known > 1) {
      const detail = 'There may be at most one condition with type "Issued", "Denied", or "Failed"';
      errors.push(invalid(path.child('type'), type, detail));
    }
    if (status !== 'True') errors.push(notSupported(path.child('status'), status, ['True']));
  });
  return [...errors, ...validateConditions(conditions, statusPath.child('conditions'))];
}

const parsed = (bytes: Uint8Array, isOnCurve: PointCheck | undefined): Certificate | undefined =>
  readable(() => parseCertificate(bytes, isOnCurve));

/** Validates an issued certificate. Returns the errors of the first check that fails. */
function validateIssued(
  status: PodCertificateRequestStatus,
  request: PodCertificateRequest,
  { signatures, now }: StrategyContext,
): ErrorList {
  const { certificateChain: chain = '' } = status;
  if (isLongerThan(chain, maxChainSize)) return [tooLong(chainPath, maxChainSize)];
  const bad = (detail: string): ErrorList => [invalid(chainPath, chain, detail)];
  const [leafBlock, ...others] = pemBlocks(chain);
  if (!leafBlock) return bad('issued certificate chain must contain at least one certificate');
  if (leafBlock.type !== 'CERTIFICATE')
    return bad('issued certificate chain must consist entirely of CERTIFICATE PEM blocks');
  const isOnCurve = signatures?.isOnCurve;
  const leaf = parsed(leafBlock.bytes, isOnCurve);
  if (!leaf) return bad('leaf certificate does not parse as valid X.509');
  const errors = validateNames(leaf);
  const { key, errors: keyErrors } = requestedKey(request.spec, isOnCurve);
  errors.push(...keyErrors);
  if (keyErrors.length > 0) return errors;
  if (key && key.type !== 'Other' && !samePublicKey(key, leaf.publicKey))
    return [...errors, ...bad('leaf certificate was not issued to the requested public key')];
  errors.push(...validateTimesPresent(status));
  if (errors.length > 0) return errors;
  const problem = timeProblem(status, leaf, request.spec.maxExpirationSeconds ?? 0, now());
  if (problem) return [problem];
  for (const { type, bytes } of others) {
    // The typo is upstream's.
    if (type !== 'CERTIFICATE') return bad('issued certificate chain must consist entirely of CERTFICATE PEM blocks');
    if (!parsed(bytes, isOnCurve)) return bad('intermediate certificate does not parse as valid X.509');
  }
  return [];
}

/** Differs from upstream, which parses addresses: a pattern decides here. */
const looksLikeEmail = /^[^\s@<>"(),:;[\]\\]+@[^\s@<>"(),:;]+$/;

function validateNames({ dnsNames, emailAddresses }: Certificate): ErrorList {
  const errors: ErrorList = [];
  for (const name of dnsNames) {
    const complain = (detail: string): void => void errors.push(invalid(chainPath, name, detail));
    if (name === '') complain('leaf certificate should not contain empty DNSName');
    if (name.includes('..')) complain("leaf certificate's DNSName should not contain '..'");
    if (name.startsWith('.') || name.endsWith('.'))
      complain("leaf certificate's DNSName should not start or end with '.'");
  }
  for (const email of emailAddresses)
    if (!looksLikeEmail.test(email))
      errors.push(invalid(chainPath, email, 'leaf certificate should not contain invalid EmailAddress'));
  return errors;
}

function validateTimesPresent(status: PodCertificateRequestStatus): ErrorList {
  const consistent = 'must be present and consistent with the issued certificate';
  return [
    ...(status.notBefore ? [] : [required(statusPath.child('notBefore'), consistent)]),
    ...(status.notAfter ? [] : [required(statusPath.child('notAfter'), consistent)]),
    ...(status.beginRefreshAt
      ? []
      : [
          required(
            statusPath.child('beginRefreshAt'),
            'must be present and in the range [notbefore+10min, notafter-10min]',
          ),
        ]),
  ];
}

/** Returns the first error in the times of the status, which must all be set. */
function timeProblem(status: PodCertificateRequestStatus, leaf: Certificate, maxSeconds: number, now: Date) {
  const at = (name: 'notBefore' | 'notAfter' | 'beginRefreshAt') => Date.parse(status[name]!);
  const bad = (name: 'notBefore' | 'notAfter' | 'beginRefreshAt', detail: string) =>
    invalid(statusPath.child(name), status[name], detail);
  /* Upstream prints durations in nanoseconds. */
  const printed = (milliseconds: number) => milliseconds * 1e6;
  const lifetime = leaf.notAfter.getTime() - leaf.notBefore.getTime();
  if (at('notBefore') !== leaf.notBefore.getTime())
    return bad('notBefore', 'must be set to the NotBefore time encoded in the leaf certificate');
  if (Math.abs(at('notBefore') - now.getTime()) >= 5 * minute)
    return bad('notBefore', "must be set to within 5 minutes of kube-apiserver's current time");
  if (at('notAfter') !== leaf.notAfter.getTime())
    return bad('notAfter', 'must be set to the NotAfter time encoded in the leaf certificate');
  if (lifetime < hour) return invalid(chainPath, printed(lifetime), 'leaf certificate lifetime must be >= 1 hour');
  if (lifetime > maxSeconds * 1000) {
    const detail = `leaf certificate lifetime must be <= spec.maxExpirationSeconds (${maxSeconds})`;
    return invalid(chainPath, printed(lifetime), detail);
  }
  if (at('beginRefreshAt') < at('notBefore') + 10 * minute)
    return bad('beginRefreshAt', 'must be at least 10 minutes after status.notBefore');
  if (at('beginRefreshAt') > at('notAfter') - 10 * minute)
    return bad('beginRefreshAt', 'must be at least 10 minutes before status.notAfter');
  return undefined;
}
