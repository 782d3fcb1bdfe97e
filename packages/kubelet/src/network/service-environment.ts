import type { Service } from '@coxswain/api/core/v1';

/**
 * Returns the environment variables with the addresses of services: of the service `kubernetes`, and of all services of the pod's namespace
 * if `enableServiceLinks` is true.
 */
export function serviceEnvironment(
  services: readonly Service[],
  namespace: string,
  enableServiceLinks: boolean,
): Map<string, string> {
  const env = new Map<string, string>();
  const wanted = new Map<string, Service>();
  for (const service of services) {
    const { name = '', namespace: of } = service.metadata;
    const { clusterIP } = service.spec ?? {};
    if (!clusterIP || clusterIP === 'None') continue;
    if (of === 'default' && name === 'kubernetes') {
      if (!wanted.has(name)) wanted.set(name, service);
    } else if (of === namespace && enableServiceLinks) wanted.set(name, service);
  }
  for (const service of wanted.values()) addVariables(env, service);
  return env;
}

function addVariables(env: Map<string, string>, { metadata, spec }: Service): void {
  const prefix = variableName(metadata.name ?? '');
  const clusterIP = spec?.clusterIP ?? '';
  const ports = spec?.ports ?? [];
  env.set(`${prefix}_SERVICE_HOST`, clusterIP);
  env.set(`${prefix}_SERVICE_PORT`, String(ports[0]?.port ?? ''));
  for (const { name, port } of ports) {
    if (name) env.set(`${prefix}_SERVICE_PORT_${variableName(name)}`, String(port));
  }
  ports.forEach(({ port, protocol: given }, i) => {
    const protocol = given || 'TCP';
    const scheme = protocol.toLowerCase();
    const url = `${scheme}://${clusterIP.includes(':') ? `[${clusterIP}]` : clusterIP}:${port}`;
    if (i === 0) env.set(`${prefix}_PORT`, url);
    const own = `${prefix}_PORT_${port}_${protocol.toUpperCase()}`;
    env.set(own, url);
    env.set(`${own}_PROTO`, scheme);
    env.set(`${own}_PORT`, String(port));
    env.set(`${own}_ADDR`, clusterIP);
  });
}

const variableName = (name: string): string => name.replaceAll('-', '_').toUpperCase();
