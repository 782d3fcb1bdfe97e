import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { type CertificateTemplate, exportKey, subjectAlternativeNames } from './certificate-request.ts';
import { bits, element, elements, oid, sequence, set, utf8 } from './der.ts';
import { KeyPair } from './key-pair.ts';

/** An authority for tests: signs whatever it is given. In requests it overlooks all names but the subject. */
export class TestAuthority {
  readonly #key: KeyObject = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  readonly #name = sequence(set(sequence(oid('2.5.4.3'), utf8('test-authority'))));
  /** PEM. */
  readonly certificate: string = this.#sign(this.#name, createPublicKey(this.#key), { notBefore: 0, notAfter: 4e12 });

  /** What a signer puts into the status of a request: a certificate for its subject and key, PEM. */
  signRequest(request: string, validity: Validity): string {
    const [outer] = elements(Buffer.from(request.replace(/-----[^-]*-----/g, ''), 'base64'));
    const [body] = elements(outer!.content);
    const [, subject, publicKey] = elements(body!.content);
    const key = createPublicKey({ key: Buffer.from(publicKey!.raw), type: 'spki', format: 'der' });
    return this.#sign(subject!.raw, key, validity);
  }

  /** A key and a certificate for it. */
  issue(template: CertificateTemplate, validity: Validity = { notBefore: 0, notAfter: 4e12 }): KeyPair {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const names = [...(template.organizations ?? []).map((one) => ['2.5.4.10', one] as const)];
    const subject = sequence(
      ...[...names, ['2.5.4.3', template.commonName] as const].map(([type, value]) =>
        set(sequence(oid(type), utf8(value))),
      ),
    );
    return new KeyPair(
      this.#sign(subject, publicKey, validity, subjectAlternativeNames(template)),
      exportKey(privateKey),
    );
  }

  #sign(subject: Uint8Array, key: KeyObject, { notBefore, notAfter }: Validity, extension?: Uint8Array): string {
    const algorithm = sequence(oid('1.2.840.10045.4.3.2'));
    const body = sequence(
      element(0xa0, element(0x02, Buffer.of(2))),
      element(0x02, Buffer.concat([Buffer.of(0x40), randomBytes(8)])),
      algorithm,
      this.#name,
      sequence(time(notBefore), time(notAfter)),
      subject,
      key.export({ type: 'spki', format: 'der' }),
      ...(extension ? [element(0xa3, sequence(extension))] : []),
    );
    const der = sequence(body, algorithm, bits(sign('sha256', body, this.#key)));
    const base64 = Buffer.from(der).toString('base64').replace(/.{64}/g, '$&\n');
    return `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`;
  }
}

/** Milliseconds since 1970. */
export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

const time = (at: number): Uint8Array =>
  element(0x18, Buffer.from(`${new Date(at).toISOString().replace(/\.\d+Z$|[-:T]/g, '')}Z`));
