import type * as v1 from '../../generated/networking/v1.ts';
import type * as v1beta1 from '../../generated/networking/v1beta1.ts';

/** Converts a backend to v1. v1beta1 has flat fields for service and port. */
function backendToHub({ serviceName, servicePort, resource }: v1beta1.IngressBackend): v1.IngressBackend {
  const isPortSet = servicePort !== undefined && servicePort !== 0;
  return {
    ...(resource && { resource }),
    ...((serviceName || isPortSet) && {
      service: { name: serviceName ?? '', port: portToHub(servicePort) },
    }),
  };
}

function portToHub(port: v1beta1.IngressBackend['servicePort']): v1.ServiceBackendPort {
  if (typeof port === 'string') return port === '' ? {} : { name: port };
  return port ? { number: port } : {};
}

function backendFromHub({ service, resource }: v1.IngressBackend): v1beta1.IngressBackend {
  return {
    ...(service?.name && { serviceName: service.name }),
    servicePort: service?.port?.name || (service?.port?.number ?? 0),
    ...(resource && { resource }),
  };
}

interface Rule<B> {
  readonly http?: { readonly paths?: readonly { readonly backend?: B }[] | null };
}

/** Returns the rules with every backend converted; other fields are kept. */
function withBackends<A, B, R extends Rule<A>>(rules: readonly R[] | undefined, convert: (backend: A) => B) {
  return rules?.map((rule) => {
    if (!rule.http) return rule;
    const paths = rule.http.paths?.map((path) => ({ ...path, backend: convert(path.backend ?? ({} as A)) }));
    return { ...rule, http: { ...rule.http, paths: paths ?? [] } };
  });
}

export function ingressToHub({ spec = {}, ...ingress }: v1beta1.Ingress): v1.Ingress {
  const { backend, rules, ...rest } = spec;
  return {
    ...ingress,
    spec: {
      ...rest,
      ...(backend && { defaultBackend: backendToHub(backend) }),
      ...(rules && { rules: withBackends(rules, backendToHub) }),
    },
  } as v1.Ingress;
}

export function ingressFromHub({ spec = {}, ...ingress }: v1.Ingress): v1beta1.Ingress {
  const { defaultBackend, rules, ...rest } = spec;
  return {
    ...ingress,
    spec: {
      ...rest,
      ...(defaultBackend && { backend: backendFromHub(defaultBackend) }),
      ...(rules && { rules: withBackends(rules, backendFromHub) }),
    },
  } as v1beta1.Ingress;
}
