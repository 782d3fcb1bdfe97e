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
import { invalidEach, sortedEntries } from '../../core/v1/pod/checks.ts';
import { isKubernetesSignerName, validateSignerName } from '../../core/v1/pod/index.ts';
import type { PodCertificateRequest, PodCertificateRequestSpec } from '../../generated/certificates/v1beta1.ts';
import {
  hashes,
  type PublicKey,
  parseCertificateRequest,
  parsePkixPublicKey,
  readable,
  requestSignatureProblem,
  rsaKeySize,
  rsaPssProblem,
  verifyEcdsa,
  verifyEd25519,
} from '../x509/index.ts';

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

export function validatePodCertificateRequest({ spec }: PodCertificateRequest): ErrorList {
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
  return [...errors, ...validateKey(spec)];
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

/** An object by name and identity. */
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

function validateKey(spec: PodCertificateRequestSpec): ErrorList {
  const { stubPKCS10Request: stub, pkixPublicKey: key, proofOfPossession: proof } = spec;
  if (stub && !key && !proof) return validateStub(stub);
  if (!stub && key && proof) return validateKeyAndProof(key, proof, spec.podUID);
  const detail = 'exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set';
  return [invalid(specPath, omittedValue, detail)];
}

/** Keys that are strong enough, but none that nobody needs. */
function sizeProblem(key: PublicKey, curves: string): { value: string; detail: string } | undefined {
  if (key.type === 'ECDSA' && key.curve.name === 'P-224')
    return { value: 'curve P-224', detail: `elliptic public keys must use curve ${curves}` };
  if (key.type !== 'RSA') return undefined;
  const bits = rsaKeySize(key) * 8;
  if (bits === 3072 || bits === 4096) return undefined;
  return { value: `${bits}-bit modulus`, detail: 'RSA keys must have modulus size 3072 or 4096' };
}

function validateStub(stub: string): ErrorList {
  if (base64ByteLength(stub) > maxKeySize) return [tooLong(stubPath, maxKeySize)];
  const request = readable(() => parseCertificateRequest(decodeBase64(stub)));
  if (!request) return [invalid(stubPath, omittedValue, notARequest)];
  const { publicKey } = request;
  if (!publicKey || publicKey.type === 'Other') return [invalid(stubPath, omittedValue, unknownKey)];
  const problem = sizeProblem(publicKey, 'P256, P384, or P521');
  if (problem) return [invalid(stubPath, problem.value, problem.detail)];
  return requestSignatureProblem(request) ? [invalid(stubPath, omittedValue, 'invalid signature')] : [];
}

/** The proof is a signature of the pod's identity. */
function validateKeyAndProof(encoded: string, proof: string, podUID: string): ErrorList {
  if (base64ByteLength(encoded) > maxKeySize) return [tooLong(keyPath, maxKeySize)];
  if (base64ByteLength(proof) > maxKeySize) return [tooLong(proofPath, maxKeySize)];
  const key = readable(() => parsePkixPublicKey(decodeBase64(encoded)));
  if (!key) return [invalid(keyPath, encoded, notAKey)];
  if (key.type === 'Other') return [invalid(keyPath, encoded, unknownKey)];
  const problem = sizeProblem(key, 'P256 or P384');
  if (problem) return [invalid(keyPath, problem.value, problem.detail)];
  const isProven = verifyProof(key, new TextEncoder().encode(podUID), decodeBase64(proof));
  return isProven ? [] : [invalid(proofPath, omittedValue, badProof)];
}

function verifyProof(key: Exclude<PublicKey, { type: 'Other' }>, message: Uint8Array, proof: Uint8Array): boolean {
  if (key.type === 'Ed25519') return verifyEd25519(key, message, proof);
  if (key.type === 'ECDSA') return verifyEcdsa(key, hashes.SHA256.digest(message), proof);
  return rsaPssProblem(key, hashes.SHA256, message, proof) === undefined;
}

/** The key that the certificate is to be for; what is wrong with it, if it cannot be read. */
export function requestedKey(spec: PodCertificateRequestSpec): { key?: PublicKey; errors: ErrorList } {
  const { stubPKCS10Request: stub, pkixPublicKey = '' } = spec;
  if (stub) {
    const request = readable(() => parseCertificateRequest(decodeBase64(stub)));
    if (!request) return { errors: [invalid(stubPath, omittedValue, notARequest)] };
    return { ...(request.publicKey && { key: request.publicKey }), errors: [] };
  }
  const key = readable(() => parsePkixPublicKey(decodeBase64(pkixPublicKey)));
  return key ? { key, errors: [] } : { errors: [invalid(keyPath, omittedValue, notAKey)] };
}
