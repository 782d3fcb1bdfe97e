import { readFile } from 'node:fs/promises';
import { type Clock, newTransport, type RestConfig, type Transport } from '@coxswain/client';
import type { ExtenderConfig, ExtenderTLSConfig } from '../config/types.ts';
import { HttpExtender } from './http-extender.ts';

/** Extenders, and what they are reached by. */
export interface Extenders {
  readonly extenders: readonly HttpExtender[];
  close(): Promise<void>;
}

/** Those that can be done without come last: their nodes need not be looked at when another has said no. */
export function newExtenders(configs: readonly ExtenderConfig[], clock: Clock): Extenders {
  const transports: Transport[] = [];
  const make = (config: ExtenderConfig): HttpExtender => {
    const transport = newTransport(restConfig(config));
    transports.push(transport);
    return new HttpExtender(config, transport, clock);
  };
  const extenders = configs.map(make);
  return {
    extenders: [...extenders.filter((it) => !it.isIgnorable), ...extenders.filter((it) => it.isIgnorable)],
    close: async () => {
      await Promise.all(transports.map((transport) => transport.close()));
    },
  };
}

/** Without a certificate authority an extender's certificate is not checked, as upstream does it. */
function restConfig({ urlPrefix, enableHTTPS, tlsConfig = {} }: ExtenderConfig): RestConfig {
  const { insecure, serverName, caFile, caData, certFile, certData } = tlsConfig;
  const hasCA = !!caFile || !!caData;
  const ca = async (): Promise<string> => (caData ? decoded(caData) : readFile(caFile ?? '', 'utf8'));
  return {
    server: urlPrefix.replace(/\/+$/, ''),
    qps: 0,
    tls: {
      ...(hasCA && { ca }),
      ...(serverName && { serverName }),
      ...((insecure || (enableHTTPS && !hasCA)) && { insecureSkipTlsVerify: true }),
    },
    ...((certFile || certData) && {
      credentials: { current: () => clientCertificate(tlsConfig), refused: () => false },
    }),
  };
}

async function clientCertificate({ certFile = '', certData, keyFile = '', keyData }: ExtenderTLSConfig) {
  const certificate = certData ? decoded(certData) : await readFile(certFile, 'utf8');
  const key = keyData ? decoded(keyData) : await readFile(keyFile, 'utf8');
  return { clientCertificate: { certificate, key } };
}

const decoded = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8');
