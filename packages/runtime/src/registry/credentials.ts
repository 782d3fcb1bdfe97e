/** Who pulls an image, as the CRI and Docker's configuration say it. Members that are empty count as absent. */
export interface RegistryAuth {
  readonly username?: string;
  readonly password?: string;
  /** `username:password` in base64. */
  readonly auth?: string;
  /** The server for which this is. */
  readonly serverAddress?: string;
  /** For which the registry's token server gives tokens. */
  readonly identityToken?: string;
  /** Sent to the registry as it is. */
  readonly registryToken?: string;
}

export interface Credentials {
  readonly username: string;
  /** A password, or an identity token if there is no username. */
  readonly secret: string;
}

/** Returns the credentials for a server; undefined if there are none for it. Throws if they are incomplete. */
export function credentialsFor(auth: RegistryAuth | undefined, server: string): Credentials | undefined {
  if (!auth || !isFor(auth, server)) return undefined;
  if (auth.username) return { username: auth.username, secret: auth.password ?? '' };
  if (auth.identityToken) return { username: '', secret: auth.identityToken };
  if (auth.auth) {
    const text = Buffer.from(auth.auth, 'base64').toString('utf8');
    const colon = text.indexOf(':');
    if (colon < 0) throw new Error('invalid decoded auth: no colon');
    // Some programs fill the end with zeros.
    return { username: text.slice(0, colon), secret: text.slice(colon + 1).replace(/\0+$/, '') };
  }
  return undefined;
}

/** Returns the token that is sent to a server as it is. */
export const registryTokenFor = (auth: RegistryAuth | undefined, server: string): string | undefined =>
  auth?.registryToken && isFor(auth, server) ? auth.registryToken : undefined;

function isFor({ serverAddress }: RegistryAuth, server: string): boolean {
  if (!serverAddress) return true;
  const host = serverAddress.replace(/^[a-z]+:\/\//i, '').replace(/\/.*$/, '');
  // Docker Hub is written in many ways.
  const isHub = (name: string): boolean => /^(index\.|registry-1\.)?docker\.io$/.test(name);
  return host === server || (isHub(host) && isHub(server));
}
