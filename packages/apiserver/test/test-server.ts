import { generateKeyPairSync } from 'node:crypto';
import { FeatureGates } from '@coxswain/api';
import { systemClock } from '@coxswain/apimachinery/clock';
import { systemRandom } from '@coxswain/apimachinery/random';
import { systemEventLoop } from '@coxswain/apimachinery/turns';
import { recordLogs } from '@coxswain/apimachinery/log';
import { toSigningKey } from '@coxswain/client/jwt';
import { issueKeyPair } from '@coxswain/client/x509';
import { openMemoryStore, type Store } from '@coxswain/storage';
import { StaticTokenAuthenticator } from '../src/authentication/index.ts';
import { SocketDialer } from '../src/proxy/index.ts';
import { ApiServer } from '../src/server/api-server.ts';
import type { ApiServerConfig } from '../src/server/api-server-config.ts';
import { PortRange } from '../src/services/index.ts';

const issuer = 'https://kubernetes.default.svc';
const hour = 3_600_000;

/** Bearer tokens that the test server accepts. */
export const tokens = { admin: 'token-of-the-admin', alice: 'token-of-alice' };

export interface TestServer {
  readonly server: ApiServer;
  readonly store: Store;
  /** All log lines; errors with their causes and stacks. */
  readonly log: string[];
  /** 0 without a port. */
  readonly port: number;
}

/** Starts a server over a memory store, with a port if `listen`, and waits until it is ready. The caller must stop it. */
export async function startTestServer(
  { listen = false, store = openMemoryStore() }: { readonly listen?: boolean; readonly store?: Store } = {},
  overrides: Partial<ApiServerConfig> = {},
): Promise<TestServer> {
  const made = newTestServer({ listen, store }, overrides);
  await made.server.start();
  return { ...made, port: made.server.address?.port ?? 0 };
}

/** Like `startTestServer`, but does not start the server. */
export function newTestServer(
  { listen, store }: { readonly listen: boolean; readonly store: Store },
  overrides: Partial<ApiServerConfig> = {},
): Omit<TestServer, 'port'> {
  const key = toSigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  const log: string[] = [];
  const { logger } = recordLogs({
    onLine: (line, { error }) => log.push(error === undefined ? line : `${line}: ${described(error)}`),
  });
  const server = new ApiServer({
    store,
    storePrefix: '/registry',
    features: FeatureGates.defaults,
    runtimeConfig: new Map([['api/all', 'true']]),
    ...(listen && { listen: { host: '127.0.0.1', port: 0, tls: servingCertificate() } }),
    advertiseAddress: '192.0.2.1',
    serviceClusterIPRanges: ['10.96.0.0/16'],
    serviceNodePortRange: new PortRange(30000, 2768),
    authentication: {
      anonymous: true,
      bootstrapTokens: true,
      tokenFile: new StaticTokenAuthenticator([
        [tokens.admin, { username: 'admin', uid: 'uid1', groups: ['system:masters'] }],
        [tokens.alice, { username: 'alice', uid: 'uid2', groups: ['dev'] }],
        ['n1', { username: 'system:node:n1', uid: 'uid3', groups: ['system:nodes'] }],
        ['n2', { username: 'system:node:n2', uid: 'uid4', groups: ['system:nodes'] }],
        ['nobody', { username: 'system:node:', uid: 'uid5', groups: ['system:nodes'] }],
      ]),
      clusterInfo: () => ({}),
    },
    authorizationModes: ['Node', 'RBAC'],
    serviceAccounts: {
      issuers: [issuer],
      signingKey: key,
      keys: [key],
      apiAudiences: [issuer],
      extendExpiration: true,
      lookup: true,
    },
    dialer: new SocketDialer(),
    pauseBeforeRemoval: () => Promise.resolve(),
    enabledAdmissionPlugins: [],
    // No controller creates the service accounts of pods.
    disabledAdmissionPlugins: ['ServiceAccount'],
    allowPrivileged: true,
    eventTtlSeconds: 3600,
    maxRequestsInFlight: 400,
    maxMutatingRequestsInFlight: 200,
    requestTimeoutMs: 60_000,
    minRequestTimeoutMs: 1_800_000,
    shutdownDelayMs: 0,
    shutdownGraceMs: 2_000,
    hostname: 'localhost',
    logger,
    clock: systemClock,
    random: systemRandom,
    eventLoop: systemEventLoop,
    ...overrides,
  });
  return { server, store, log };
}

function described(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.stack ?? error.message}${error.cause ? ` because ${described(error.cause)}` : ''}`;
}

let serving: { cert: string; key: string } | undefined;

/** Returns a certificate that all servers share, because generating one is slow. Clients do not verify it. */
function servingCertificate(): { cert: string; key: string } {
  if (!serving) {
    const now = Date.now();
    const template = { commonName: 'localhost', notBefore: new Date(now - hour), notAfter: new Date(now + 24 * hour) };
    const { certificatePem, keyPem } = issueKeyPair({ ...template, usages: ['serverAuth'] }, undefined);
    serving = { cert: certificatePem, key: keyPem };
  }
  return serving;
}
