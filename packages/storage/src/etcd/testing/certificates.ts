import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from './find-program.ts';

const run = promisify(execFile);

/** Paths of PEM files. */
export interface EtcdCertificates {
  readonly ca: string;
  readonly server: { readonly cert: string; readonly key: string };
  readonly client: { readonly cert: string; readonly key: string };
}

/** Creates a CA, a server certificate for 127.0.0.1 and a client certificate. Needs openssl 3. */
export async function makeCertificates(folder: string): Promise<EtcdCertificates> {
  const openssl = findProgram('openssl') ?? 'openssl';
  const pair = (name: string) => ({ cert: path.join(folder, `${name}.crt`), key: path.join(folder, `${name}.key`) });
  const ca = pair('ca');
  const make = async (name: string, extra: readonly string[]) => {
    const { cert, key } = pair(name);
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key];
    await run(openssl, ['req', '-x509', '-days', '2', ...newKey, '-out', cert, '-subj', `/CN=${name}`, ...extra]);
    return { cert, key };
  };
  await make('ca', []);
  const signed = ['-CA', ca.cert, '-CAkey', ca.key, '-addext', 'basicConstraints=critical,CA:false'];
  const usage = 'extendedKeyUsage=serverAuth,clientAuth';
  return {
    ca: ca.cert,
    server: await make('server', [...signed, '-addext', 'subjectAltName=IP:127.0.0.1', '-addext', usage]),
    client: await make('client', [...signed, '-addext', usage]),
  };
}
