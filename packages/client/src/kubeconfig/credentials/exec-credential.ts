import { messageOf } from '@coxswain/apimachinery/errors';
import type { Credential } from '../../config/rest-config.ts';
import { keyPairProblem } from '../../x509/pem-key-pair.ts';
import { decode, string, struct } from '../decoder.ts';
import { parseDocument } from '../parse-kubeconfig.ts';
import { secretCredential } from './secret-credential.ts';

export interface ExecCredential {
  readonly credential: Credential;
  /** Milliseconds since 1970. Undefined: valid until the server rejects it. */
  readonly expiresAt: number | undefined;
}

interface ExecCredentialStatus {
  readonly token?: string;
  readonly clientCertificateData?: string;
  readonly clientKeyData?: string;
  readonly expirationTimestamp?: string;
}

const document = struct<{ readonly status?: ExecCredentialStatus }>('ExecCredential', {
  status: struct<ExecCredentialStatus>('ExecCredentialStatus', {
    token: string,
    clientCertificateData: string,
    clientKeyData: string,
    expirationTimestamp: string,
  }),
});

const group = 'client.authentication.k8s.io';

/** Parses the output of a plug-in. Throws an Error with client-go's message, which never quotes the output. */
export async function parseExecCredential(text: string, apiVersion: string): Promise<ExecCredential> {
  const status = await parseStatus(text, apiVersion);
  if (!status) throw new Error("exec plugin didn't return a status field");
  const { token, clientCertificateData: certificate, clientKeyData: key, expirationTimestamp } = status;
  if (!token && !certificate && !key) throw new Error("exec plugin didn't return a token or cert/key pair");
  if (!certificate !== !key) throw new Error('exec plugin returned only certificate or key, not both');
  const problem = certificate && key && keyPairProblem(certificate, key);
  if (problem) throw new Error(`failed parsing client key/certificate: ${problem}`);
  return {
    credential: secretCredential({
      ...(token && { token }),
      ...(certificate && key && { clientCertificate: { certificate, key } }),
    }),
    expiresAt: expirationTimestamp === undefined ? undefined : parseExpiration(expirationTimestamp),
  };
}

async function parseStatus(text: string, apiVersion: string): Promise<ExecCredentialStatus | undefined> {
  let value: object;
  try {
    value = await parseDocument(text);
  } catch (cause) {
    // The parser's message may quote a line that contains the token.
    const isShape = cause instanceof Error && cause.message.startsWith("couldn't get version/kind");
    throw new Error(
      `decoding stdout: ${isShape ? cause.message : "couldn't get version/kind; it is neither JSON nor YAML"}`,
    );
  }
  // Differs from client-go, which reports the version `__internal` for output without a version.
  const returned = 'apiVersion' in value ? String(value.apiVersion) : '';
  const kind = 'kind' in value ? String(value.kind) : 'ExecCredential';
  if (kind !== 'ExecCredential' || (returned !== '' && !returned.startsWith(`${group}/`)))
    throw new Error(`decoding stdout: no kind "${kind}" is registered for version "${returned}"`);
  if (returned !== apiVersion) {
    throw new Error(`exec plugin is configured to use API version ${apiVersion}, plugin returned version ${returned}`);
  }
  try {
    return decode(document, value)?.status;
  } catch (cause) {
    throw new Error(`decoding stdout: ${messageOf(cause)}`, { cause });
  }
}

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

function parseExpiration(text: string): number {
  const time = rfc3339.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new Error(
    `decoding stdout: parsing time ${JSON.stringify(text)} as "2006-01-02T15:04:05Z07:00": cannot parse it`,
  );
}
