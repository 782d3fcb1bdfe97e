import type { Pod, Secret } from '@coxswain/api/core/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import { parseImageName } from '@coxswain/cri/image-name';
import type { ConfigSource } from '../volumes/config-source.ts';
import { type DockerConfig, parseDockerConfigJson, parseDockercfg } from './docker-config.ts';
import { Keyring, type PullCredential } from './keyring.ts';
import type { NodeKeyring } from './node-keyring.ts';

export interface PullCredentialsOptions {
  readonly config: ConfigSource;
  /** Undefined for a node without logins of its own. */
  readonly node?: NodeKeyring | undefined;
}

/** Finds the logins with which the images of pods are pulled. */
export class PullCredentials {
  readonly #options: PullCredentialsOptions;

  constructor(options: PullCredentialsOptions) {
    this.#options = options;
  }

  /**
   * Returns the logins for an image in the order in which to try them: those of the pod's pull secrets, then those of the node. Secrets
   * that can't be read are left out. Rejects if the content of a secret is invalid, with a message that does not quote it.
   */
  async of(pod: Pod, image: string): Promise<readonly PullCredential[]> {
    const repository = parseImageName(image)?.repository;
    if (repository === undefined) return [];
    const ofPod = new Keyring();
    for (const secret of await this.#secretsOf(pod)) {
      const config = configOf(secret);
      const { uid = '', namespace = '', name = '' } = secret.metadata;
      if (config) ofPod.add(config, { uid, namespace, name });
    }
    const ofNode = await this.#options.node?.keyring();
    return [...ofPod.lookup(repository), ...(ofNode?.lookup(repository) ?? [])];
  }

  async #secretsOf({ metadata: { namespace = '' }, spec }: Pod): Promise<Secret[]> {
    const names = (spec?.imagePullSecrets ?? []).flatMap(({ name }) => (name ? [name] : []));
    const secrets = await Promise.all(
      names.map((name) => this.#options.config.secret(namespace, name).catch(() => undefined)),
    );
    return secrets.filter((secret) => secret !== undefined);
  }
}

/** Undefined for a secret of another type, or without content. */
function configOf({ type, data, metadata }: Secret): DockerConfig | undefined {
  const read = (key: string, parse: (text: string) => DockerConfig): DockerConfig | undefined => {
    const text = Buffer.from(data?.[key] ?? '', 'base64').toString();
    if (text === '') return undefined;
    try {
      return parse(text);
    } catch (error) {
      throw new Error(`invalid image pull secret ${metadata.namespace}/${metadata.name}: ${messageOf(error)}`);
    }
  };
  if (type === 'kubernetes.io/dockerconfigjson') return read('.dockerconfigjson', parseDockerConfigJson);
  if (type === 'kubernetes.io/dockercfg') return read('.dockercfg', parseDockercfg);
  return undefined;
}
