import { readFile } from 'node:fs/promises';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { ClientSet, Clock, Logger } from '@coxswain/client';
import { CertificatePool } from '../authentication/index.ts';
import { type FollowedFiles, followFiles } from '../files/index.ts';
import {
  type ClusterAuthentication,
  followClusterAuthentication,
  lookUpClusterAuthentication,
} from './cluster-authentication.ts';
import type { ServingSettings } from './serving-flags.ts';

export interface AuthoritiesOptions {
  readonly settings: ServingSettings;
  /** The API server of the cluster; absent: no lookup. */
  readonly clients?: ClientSet;
  readonly clock: Clock;
  readonly logger: Logger;
}

const noLookUp =
  "No authentication-kubeconfig provided in order to lookup client-ca-file in configmap/extension-apiserver-authentication in kube-system, so client certificate authentication won't work.";

/** The CAs of clients and of front proxies: those of files given by flags, or else those that the cluster's API server publishes. */
export class Authorities {
  readonly #options: AuthoritiesOptions;
  #cluster: ClusterAuthentication = {};
  #files: ClusterAuthentication = {};

  private constructor(options: AuthoritiesOptions) {
    this.#options = options;
  }

  /** Throws an Error when a file cannot be used, or when the lookup in the cluster fails and that is not tolerated. */
  static async load(options: AuthoritiesOptions): Promise<Authorities> {
    const authorities = new Authorities(options);
    for (const [flag, file] of authorities.#namedFiles())
      authorities.#setFile(flag, CertificatePool.fromPem(await readFile(file, 'utf8')));
    if (authorities.#wantsLookUp && options.clients) await authorities.#lookUp(options.clients);
    else if (authorities.#wantsLookUp) options.logger.warn(noLookUp);
    return authorities;
  }

  /** Files take precedence over the cluster. */
  get current(): ClusterAuthentication {
    return { ...this.#cluster, ...this.#files };
  }

  /** All CAs as PEM, to be named in TLS handshakes. */
  get pem(): string[] {
    const { clientCA, requestHeader } = this.current;
    return [...(clientCA?.current.pem ?? []), ...(requestHeader?.pool.current.pem ?? [])];
  }

  /** Watches files and cluster, and calls `onChange` after each change. Returns a function that stops it. */
  follow(onChange: () => void): () => Promise<void> {
    const { clients, clock, logger } = this.#options;
    const ending = new AbortController();
    const files = this.#namedFiles().map(([flag, file]) => this.#followFile(flag, file, onChange));
    const following =
      clients && this.#wantsLookUp
        ? followClusterAuthentication(
            clients,
            {
              clock,
              logger,
              onChange: (cluster) => {
                this.#cluster = cluster;
                onChange();
              },
            },
            ending.signal,
          )
        : undefined;
    return async () => {
      for (const file of files) file.close();
      ending.abort();
      await following;
    };
  }

  /** No lookup is needed when files provide both kinds of CAs. */
  get #wantsLookUp(): boolean {
    return !this.#options.settings.authenticationSkipLookup && this.#namedFiles().length < 2;
  }

  async #lookUp(clients: ClientSet): Promise<void> {
    const { settings, logger } = this.#options;
    try {
      this.#cluster = await lookUpClusterAuthentication(clients, logger);
    } catch (cause) {
      const why = messageOf(cause);
      if (!settings.authenticationTolerateLookupFailure)
        throw new Error(`unable to load configmap based request-header-client-ca-file: ${why}`, { cause });
      logger.warn('Error looking up in-cluster authentication configuration', { err: cause });
      logger.warn('Continuing without authentication configuration. This may treat all requests as anonymous.');
    }
  }

  #namedFiles(): (readonly [flag: AuthorityFlag, file: string])[] {
    const { clientCaFile, requestheaderClientCaFile } = this.#options.settings;
    return [
      ...(clientCaFile ? [['client-ca-file', clientCaFile] as const] : []),
      ...(requestheaderClientCaFile ? [['requestheader-client-ca-file', requestheaderClientCaFile] as const] : []),
    ];
  }

  #followFile(flag: AuthorityFlag, file: string, onChange: () => void): FollowedFiles {
    const { logger } = this.#options;
    return followFiles({
      files: [file],
      initial: [],
      onChange: ([pem = '']) => {
        this.#setFile(flag, CertificatePool.fromPem(pem));
        onChange();
      },
      onError: (error) => logger.error('Failed to load authorities', error, { flag, file }),
    });
  }

  #setFile(flag: AuthorityFlag, pool: CertificatePool): void {
    const { settings } = this.#options;
    if (flag === 'client-ca-file') {
      this.#files = { ...this.#files, clientCA: pool };
      return;
    }
    const headers = {
      username: settings.requestheaderUsernameHeaders,
      uid: settings.requestheaderUidHeaders,
      group: settings.requestheaderGroupHeaders,
      extraPrefixes: settings.requestheaderExtraHeadersPrefix,
    };
    this.#files = {
      ...this.#files,
      requestHeader: { pool, allowedNames: settings.requestheaderAllowedNames, headers },
    };
  }
}

type AuthorityFlag = 'client-ca-file' | 'requestheader-client-ca-file';
