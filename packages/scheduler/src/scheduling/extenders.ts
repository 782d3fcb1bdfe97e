import { readFile } from 'node:fs/promises';
import { type Clock, newTransport, type RestConfig, type Transport } from '@coxswain/client';
import type { ExtenderConfig, ExtenderTLSConfig } from '../config/types.ts';
import { HttpExtender } from './http-extender.ts';

/** The extenders, with their transports. */
export interface Extenders {
  readonly extenders: readonly HttpExtender[];
  close(): Promise<void>;
}

/**
 * Creates the extenders. Ignorable ones come last: they need not be called for nodes that another extender has
 * rejected.
 */
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

/** As upstream: without a CA the extender's certificate is not verified. */
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
