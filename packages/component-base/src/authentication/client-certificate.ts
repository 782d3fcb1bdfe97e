import type { Certificate } from '@coxswain/client/x509';
import type { Authenticated, Authenticator } from './authenticator.ts';
import type { CertificateAuthorities } from './certificate-pool.ts';
import { ClientCertificateVerifier } from './client-certificate-verifier.ts';

/** The attribute of the subject that holds the user's UID. */
const uidAttribute = '1.3.6.1.4.1.57683.2';

/**
 * `--client-ca-file`: the common name of a client certificate is the user name, its organizations are the groups. A
 * certificate without a common name authenticates no user. Throws an Error when the certificate cannot be verified
 * against the authorities.
 */
export function clientCertificateAuthenticator(authorities: CertificateAuthorities, now: () => Date): Authenticator {
  const verifier = new ClientCertificateVerifier(authorities, now, toUser);
  return {
    async authenticate({ connection }) {
      return verifier.verify(connection.clientCertificates);
    },
  };
}

function toUser({ subject }: Certificate, fingerprint: string): Authenticated | undefined {
  const { commonName: username, organizations: groups, attributes } = subject;
  if (!username) return undefined;
  const uid = userUid(attributes.filter(({ type }) => type === uidAttribute).map(({ value }) => value));
  return {
    user: {
      username,
      ...(uid !== undefined && { uid }),
      groups,
      extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint}`] },
    },
  };
}

function userUid(uids: readonly string[]): string | undefined {
  const [uid] = uids;
  if (uids.length > 1) throw new Error(`expected 1 UID, but found multiple: [${uids.join(' ')}]`);
  if (uid === '') throw new Error('UID cannot be an empty string');
  return uid;
}
