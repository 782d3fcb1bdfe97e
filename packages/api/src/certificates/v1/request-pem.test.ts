import { generateKeyPairSync, sign } from 'node:crypto';
import { derBitString, derContext, derInteger, derNull, derOid, derSequence } from '@coxswain/apimachinery/der';
import { portableSignatures } from '@coxswain/apimachinery/signatures';
import type { SignatureVerifier } from '@coxswain/apimachinery/x509';
import { nodeSignatures } from '@coxswain/client/x509';
import { describe, expect, it } from 'vitest';
import { certificates, encoded, pem, requests, tampered } from '../../../test/certificates.ts';
import { certificateProblem, requestProblem } from './request-pem.ts';

const ecdsaFailure = 'x509: ECDSA verification failure';
const rsaFailure = 'crypto/rsa: verification error';

describe('the signature of a request', () => {
  const problems = (request: string) =>
    [nodeSignatures, portableSignatures, undefined].map((signatures) =>
      requestProblem(encoded(pem(request)), signatures),
    );

  it.each([
    ['ECDSA', requests.ecdsa],
    ['P-384', requests.p384],
    ['P-224', requests.p224],
    ['Ed25519', requests.ed25519],
    ['RSA', requests.rsa3072],
    ['RSA with PSS', requests.rsa1024Pss],
  ])('is valid with every verifier: %s', (_, request) => {
    expect(problems(request)).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    ['ECDSA', requests.ecdsa, ecdsaFailure, ecdsaFailure],
    ['P-384', requests.p384, ecdsaFailure, ecdsaFailure],
    ['Ed25519', requests.ed25519, 'x509: Ed25519 verification failure', 'x509: Ed25519 verification failure'],
    ['P-224, which a browser cannot check', requests.p224, ecdsaFailure, undefined],
    ['RSA, which a browser cannot check', requests.rsa3072, rsaFailure, undefined],
  ])('is refused by the verifiers that support its algorithm: %s', (_, request, node, browser) => {
    expect(problems(tampered(request))).toEqual([node, browser, undefined]);
  });

  it('is verified by the given verifier, as is the point of the key', () => {
    const verifier = (isGood: boolean): SignatureVerifier => ({ verify: () => isGood, isOnCurve: () => true });
    const request = encoded(pem(requests.ecdsa));
    expect([true, false].map((isGood) => requestProblem(request, verifier(isGood)))).toEqual([undefined, ecdsaFailure]);
    expect(requestProblem(request, { ...verifier(true), isOnCurve: () => false })).toBe('P256 point not on curve');
  });

  it('is refused without verification when the key is too large', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const modulus = new Uint8Array(16_392 / 8).fill(0xff);
    const key = derSequence(
      derSequence(derOid('1.2.840.113549.1.1.1'), derNull),
      derBitString(derSequence(derInteger(modulus), derInteger(Uint8Array.of(1, 0, 1)))),
    );
    const body = derSequence(derInteger(Uint8Array.of(0)), derSequence(), key, derContext(0));
    const algorithm = derSequence(derOid('1.2.840.113549.1.1.11'), derNull);
    const request = derSequence(body, algorithm, derBitString(sign('sha256', body, privateKey)));
    const asked: unknown[] = [];
    const verifier = { ...nodeSignatures, verify: (signed: unknown) => void asked.push(signed) };
    expect(requestProblem(encoded(pem(Buffer.from(request).toString('base64'))), verifier)).toBe(rsaFailure);
    expect(asked).toEqual([]);
  });
});

describe('the certificates of a request', () => {
  const leaf = pem(certificates.leaf, 'CERTIFICATE');

  it('may be many, up to a size limit', () => {
    const many = leaf.repeat(Math.floor((256 * 1024) / leaf.length));
    expect(certificateProblem(encoded(many), nodeSignatures)).toBeUndefined();
    expect(certificateProblem(encoded(many + leaf), nodeSignatures)).toBe('may not be more than 262144 bytes');
  });
});
