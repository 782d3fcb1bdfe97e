import { expect, it } from 'vitest';
import { TestAuthority } from '../../certificates/test-authority.test-data.ts';
import { parseExecCredential } from './exec-credential.ts';

const v1 = 'client.authentication.k8s.io/v1';
const printed = (status: object | undefined, apiVersion = v1): string =>
  JSON.stringify({ apiVersion, kind: 'ExecCredential', status });

it('reads a token and when it expires', async () => {
  const expirationTimestamp = '2026-01-01T01:00:00+01:00';
  const { credential, expiresAt } = await parseExecCredential(printed({ token: 't', expirationTimestamp }), v1);
  expect({ ...credential }).toEqual({ token: 't' });
  expect(expiresAt).toBe(Date.UTC(2026, 0, 1));
});

it('reads a certificate', async () => {
  const { certificate, key } = new TestAuthority().issue({ commonName: 'me' });
  const text = printed({ clientCertificateData: certificate, clientKeyData: key });
  const { credential, expiresAt } = await parseExecCredential(text, v1);
  expect({ ...credential }).toEqual({ clientCertificate: { certificate, key } });
  expect(expiresAt).toBeUndefined();
});

it('reads v1beta1, also in YAML', async () => {
  const text = `apiVersion: ${v1}beta1\nkind: ExecCredential\nstatus:\n  token: yy\n`;
  expect((await parseExecCredential(text, `${v1}beta1`)).credential.token).toBe('yy');
});

const notStruct = String.raw`couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

// client-go's messages, except for the source location after "is registered" and the details of time parsing.
it.each<[sentence: string, text: string, message: string]>([
  ['text that is not an object', 'hello there', `decoding stdout: ${notStruct}`],
  [
    'another kind',
    printed({}).replace('ExecCredential', 'Foo'),
    `decoding stdout: no kind "Foo" is registered for version "${v1}"`,
  ],
  [
    'another group',
    '{"apiVersion":"v1","kind":"Pod"}',
    'decoding stdout: no kind "Pod" is registered for version "v1"',
  ],
  [
    'another version',
    printed({ token: 'x' }, `${v1}beta1`),
    `exec plugin is configured to use API version ${v1}, plugin returned version ${v1}beta1`,
  ],
  ['no status', printed(undefined), "exec plugin didn't return a status field"],
  ['an empty status', printed({}), "exec plugin didn't return a token or cert/key pair"],
  ['half a pair', printed({ clientKeyData: 'x' }), 'exec plugin returned only certificate or key, not both'],
  [
    'a certificate and key that are not PEM',
    printed({ clientCertificateData: 'x', clientKeyData: 'y' }),
    'failed parsing client key/certificate: tls: failed to find any PEM data in certificate input',
  ],
  [
    'a number for a token',
    printed({ token: 5 }),
    'decoding stdout: json: cannot unmarshal number into Go struct field ExecCredentialStatus.status.token of type string',
  ],
  [
    'an invalid time',
    printed({ token: 'x', expirationTimestamp: 'soon' }),
    'decoding stdout: parsing time "soon" as "2006-01-02T15:04:05Z07:00": cannot parse it',
  ],
  [
    'text that is neither JSON nor YAML, without quoting it',
    '{"token": secret',
    "decoding stdout: couldn't get version/kind; it is neither JSON nor YAML",
  ],
])('refuses %s', async (_, text, message) => {
  await expect(parseExecCredential(text, v1)).rejects.toThrow(new Error(message));
});
