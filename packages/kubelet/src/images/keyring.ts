import { createHash } from 'node:crypto';
import type { DockerConfig, RegistryLogin } from './docker-config.ts';
import { locationKey, matchesLocation, parseRegistryLocation, type RegistryLocation } from './registry-location.ts';

/** The Secret that contains a login. */
export interface SecretSource {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}

/** A login with which an image may be pulled. */
export interface PullCredential {
  readonly username: string;
  readonly password: string;
  /** A hash of the login, by which records of pulled images are compared. */
  readonly hash: string;
  /** Undefined for a login of the node's own files, which all pods may use. */
  readonly secret: SecretSource | undefined;
}

interface Entry {
  readonly location: RegistryLocation;
  readonly credentials: PullCredential[];
}

/** Logins under this key are used for `docker.io` if there are no others for it. */
const dockerHub = 'index.docker.io';

/** Finds logins by registry and path. */
export class Keyring {
  readonly #entries = new Map<string, Entry>();

  /** Adds logins. `secret` contains them; it is undefined for logins of the node. Locations without a registry are ignored. */
  add(config: DockerConfig, secret?: SecretSource): void {
    for (const [text, login] of config) {
      const parsed = parseRegistryLocation(text);
      if (!parsed) continue;
      const location = { ...parsed, path: effectivePath(parsed.path) };
      const key = locationKey(location);
      const entry = this.#entries.get(key) ?? { location, credentials: [] };
      const { username, password } = login;
      entry.credentials.push({ username, password, hash: hashOf(login), secret });
      this.#entries.set(key, entry);
    }
  }

  /** Returns the logins for a repository, those for the longest location first. */
  lookup(repository: string): readonly PullCredential[] {
    const target = parseRegistryLocation(repository);
    if (!target) return [];
    const keys = [...this.#entries.keys()].sort().reverse();
    const found = keys.flatMap((key) => {
      const { location, credentials } = this.#entries.get(key)!;
      return matchesLocation(location, target) ? credentials : [];
    });
    if (found.length > 0) return found;
    const isOfDockerHub = target.hostParts.join('.') === 'docker.io' && target.port === '';
    return (isOfDockerHub && this.#entries.get(dockerHub)?.credentials) || [];
  }
}

/** Docker writes the version of the registry's API as a path. It stands for the whole registry. */
function effectivePath(path: string): string {
  const rest = /^\/v[12]\//.test(path) ? path.slice(3) : path;
  return rest === '/' ? '' : rest;
}

/** Returns the same hash as upstream's kubelet, so that either kubelet can use the other's records. */
function hashOf({ username, password, email }: RegistryLogin): string {
  const config = { ...(username && { username }), ...(password && { password }), ...(email && { email }) };
  // Go's encoder escapes these characters.
  const text = JSON.stringify(config).replace(
    /[<>&\u2028\u2029]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return createHash('sha256').update(text).digest('hex');
}
