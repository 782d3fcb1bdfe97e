export type RegistryCapability = 'pull' | 'resolve' | 'push';

/** Certificates for the connections to a host, as PEM. */
export interface HostTls {
  /** In addition to those that Node trusts. */
  readonly ca: readonly string[];
  readonly clients: readonly { readonly cert: string; readonly key: string }[];
  readonly skipVerify: boolean;
}

/** A server from which images of a registry can be had: the registry itself or a mirror. */
export interface RegistryHost {
  /** With the path below which repositories are, as `https://registry-1.docker.io/v2`. */
  readonly url: URL;
  readonly capabilities: ReadonlySet<RegistryCapability>;
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: HostTls;
  /** Where to try plain HTTP if the server has no TLS, as on loopback. */
  readonly allowsHttp: boolean;
  /** A server that is not the registry itself. It is told the registry's name. */
  readonly isMirror: boolean;
}

export const noTls: HostTls = { ca: [], clients: [], skipVerify: false };

const allCapabilities: ReadonlySet<RegistryCapability> = new Set(['pull', 'resolve', 'push']);

export interface DefaultHostOptions {
  /** Names of registries, with the port, that need no valid certificate and no TLS. */
  readonly insecureRegistries?: readonly string[];
}

/** The server of a registry that is not configured. */
export function defaultHost(registry: string, { insecureRegistries = [] }: DefaultHostOptions = {}): RegistryHost {
  const isInsecure = insecureRegistries.includes(registry);
  return {
    url: new URL(`https://${serverOf(registry)}/v2`),
    capabilities: allCapabilities,
    headers: {},
    tls: { ...noTls, skipVerify: isInsecure },
    allowsHttp: isInsecure || isLoopback(registry),
    isMirror: false,
  };
}

/** Docker Hub's images have another name than its server. */
const serverOf = (registry: string): string => (registry === 'docker.io' ? 'registry-1.docker.io' : registry);

function isLoopback(host: string): boolean {
  const name = host.replace(/:\d+$/, '');
  return name === 'localhost' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);
}
