import {
  base64ByteLength,
  byteLength,
  decodeBase64,
  type ErrorList,
  invalid,
  isDomainPrefixedKey,
  isLongerThan,
  nameIsDnsSubdomain,
  omittedValue,
  Path,
  required,
  tooLong,
  totalAnnotationSizeLimitBytes,
  validateServiceAccountName,
} from '@coxswain/apimachinery';
import {
  type PointCheck,
  type PublicKey,
  parseCertificateRequest,
  parsePkixPublicKey,
  readable,
  requestSignatureProblem,
  rsaKeyBits,
  type SignatureVerifier,
  type VerifyingKey,
  verificationProblem,
} from '@coxswain/apimachinery/x509';
import { invalidEach, sortedEntries } from '../../core/v1/checks.ts';
import { isKubernetesSignerName, validateSignerName } from '../../core/v1/pod/index.ts';
import type { PodCertificateRequest, PodCertificateRequestSpec } from '../../generated/certificates/v1beta1.ts';
import type { StrategyContext } from '../../strategy/strategy.ts';

const specPath = Path.of('spec');
const keyPath = specPath.child('pkixPublicKey');
const proofPath = specPath.child('proofOfPossession');
const stubPath = specPath.child('stubPKCS10Request');
const maxUIDLength = 128;
const maxKeySize = 10 * 1024;
const hour = 60 * 60;
const minExpirationSeconds = hour;
const maxExpirationSeconds = 91 * 24 * hour;
const maxKubernetesExpirationSeconds = 24 * hour;
const notAKey = 'must be a valid PKIX-serialized public key';
const notARequest = 'must be a valid PKCS#10 CSR';
const unknownKey = 'unknown public key type; supported types are Ed25519, ECDSA, and RSA';
const badProof = 'could not verify proof-of-possession signature';

export function validatePodCertificateRequest(
  { spec }: PodCertificateRequest,
  { signatures }: StrategyContext,
): ErrorList {
  const errors = [
    ...validateSignerName(specPath.child('signerName'), spec.signerName),
    ...validateUserAnnotations(spec.unverifiedUserAnnotations),
    ...validateReference('podName', spec.podName, nameIsDnsSubdomain, 'podUID', spec.podUID),
    ...validateReference(
      'serviceAccountName',
      spec.serviceAccountName,
      validateServiceAccountName,
      'serviceAccountUID',
      spec.serviceAccountUID,
    ),
    ...validateReference('nodeName', spec.nodeName, nameIsDnsSubdomain, 'nodeUID', spec.nodeUID),
  ];
  const path = specPath.child('maxExpirationSeconds');
  const { maxExpirationSeconds: seconds } = spec;
  if (seconds === undefined) return [...errors, required(path, 'must be set')];
  const max = isKubernetesSignerName(spec.signerName) ? maxKubernetesExpirationSeconds : maxExpirationSeconds;
  if (seconds < minExpirationSeconds || seconds > max)
    errors.push(invalid(path, seconds, `must be in the range [${minExpirationSeconds}, ${max}]`));
  return [...errors, ...validateKey(spec, signatures)];
}

function validateUserAnnotations(annotations: Readonly<Record<string, string>> | undefined): ErrorList {
  const path = specPath.child('unverifiedUserAnnotations');
  const entries = sortedEntries(annotations);
  const size = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  return [
    ...entries.flatMap(([key]) => isDomainPrefixedKey(path, key.toLowerCase())),
    ...(size > totalAnnotationSizeLimitBytes ? [tooLong(path, totalAnnotationSizeLimitBytes)] : []),
  ];
}

/** Validates the name and uid of a referenced object. */
function validateReference(
  nameField: string,
  name: string,
  validateName: (name: string, prefix: boolean) => string[],
  uidField: string,
  uid: string,
): ErrorList {
  const uidPath = specPath.child(uidField);
  return [
    ...invalidEach(specPath.child(nameField), name, validateName(name, false)),
    ...(uid ? [] : [invalid(uidPath, uid, 'must not be empty')]),
    ...(isLongerThan(uid, maxUIDLength) ? [tooLong(uidPath, maxUIDLength)] : []),
  ];
}

function validateKey(spec: PodCertificateRequestSpec, signatures: SignatureVerifier | undefined): ErrorList {
  const { stubPKCS10Request: stub, pkixPublicKey: key, proofOfPossession: proof } = spec;
  if (stub && !key && !proof) return validateStub(stub, signatures);
  if (!stub && key && proof) return validateKeyAndProof(spec.podUID, key, proof, signatures);
  const detail = 'exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set';
  return [invalid(specPath, omittedValue, detail)];
}

/** Returns an error for key sizes and curves that are not accepted. Larger RSA keys than 4096 bits are refused too. */
function sizeProblem(key: PublicKey, curves: string): { value: string; detail: string } | undefined {
  if (key.type === 'ECDSA' && key.curve === 'P-224')
    return { value: 'curve P-224', detail: `elliptic public keys must use curve ${curves}` };
  if (key.type !== 'RSA') return undefined;
  const bits = Math.ceil(rsaKeyBits(key) / 8) * 8;
  if (bits === 3072 || bits === 4096) return undefined;
  return { value: `${bits}-bit modulus`, detail: 'RSA keys must have modulus size 3072 or 4096' };
}

function validateStub(stub: string, signatures: SignatureVerifier | undefined): ErrorList {
  if (base64ByteLength(stub) > maxKeySize) return [tooLong(stubPath, maxKeySize)];
  const request = readable(() => parseCertificateRequest(decodeBase64(stub), signatures?.isOnCurve));
  if (!request) return [invalid(stubPath, omittedValue, notARequest)];
  const { publicKey } = request;
  if (!publicKey || publicKey.type === 'Other') return [invalid(stubPath, omittedValue, unknownKey)];
  const problem = sizeProblem(publicKey, 'P256, P384, or P521');
  if (problem) return [invalid(stubPath, problem.value, problem.detail)];
  const isForged = signatures && requestSignatureProblem(request, signatures);
  return isForged ? [invalid(stubPath, omittedValue, 'invalid signature')] : [];
}

/** Validates the public key and the proof of possession, which is a signature of the pod's UID. */
function validateKeyAndProof(
  podUID: string,
  encoded: string,
  proof: string,
  signatures: SignatureVerifier | undefined,
): ErrorList {
  if (base64ByteLength(encoded) > maxKeySize) return [tooLong(keyPath, maxKeySize)];
  if (base64ByteLength(proof) > maxKeySize) return [tooLong(proofPath, maxKeySize)];
  const key = readable(() => parsePkixPublicKey(decodeBase64(encoded), signatures?.isOnCurve));
  if (!key) return [invalid(keyPath, encoded, notAKey)];
  if (key.type === 'Other') return [invalid(keyPath, encoded, unknownKey)];
  const problem = sizeProblem(key, 'P256 or P384');
  if (problem) return [invalid(keyPath, problem.value, problem.detail)];
  const isForged = signatures && proofProblem(key, podUID, decodeBase64(proof), signatures);
  return isForged ? [invalid(proofPath, omittedValue, badProof)] : [];
}

function proofProblem(
  key: VerifyingKey,
  podUID: string,
  signature: Uint8Array,
  signatures: SignatureVerifier,
): string | undefined {
  const message = new TextEncoder().encode(podUID);
  switch (key.type) {
    case 'RSA':
      return verificationProblem({ scheme: 'RSA-PSS', key, hash: 'SHA256', message, signature }, signatures);
    case 'ECDSA':
      return verificationProblem({ scheme: 'ECDSA', key, hash: 'SHA256', message, signature }, signatures);
    case 'Ed25519':
      return verificationProblem({ scheme: 'Ed25519', key, message, signature }, signatures);
  }
}

/** Returns the public key for the certificate, or the error when it cannot be parsed. */
export function requestedKey(
  spec: PodCertificateRequestSpec,
  isOnCurve?: PointCheck,
): { key?: PublicKey; errors: ErrorList } {
  const { stubPKCS10Request: stub, pkixPublicKey = '' } = spec;
  if (stub) {
    const request = readable(() => parseCertificateRequest(decodeBase64(stub), isOnCurve));
    if (!request) return { errors: [invalid(stubPath, omittedValue, notARequest)] };
    return { ...(request.publicKey && { key: request.publicKey }), errors: [] };
  }
  const key = readable(() => parsePkixPublicKey(decodeBase64(pkixPublicKey), isOnCurve));
  return key ? { key, errors: [] } : { errors: [invalid(keyPath, omittedValue, notAKey)] };
}
