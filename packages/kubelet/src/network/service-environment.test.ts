import type { Service } from '@coxswain/api/core/v1';
import { expect, it } from 'vitest';
import { serviceEnvironment } from './service-environment.ts';

const service = (namespace: string, name: string, clusterIP: string, ports: Service['spec'] = {}): Service => ({
  metadata: { namespace, name },
  spec: { clusterIP, ports: [{ port: 443 }], ...ports },
});
const services = [
  service('default', 'kubernetes', '10.96.0.1', { ports: [{ name: 'https', port: 443, protocol: 'TCP' }] }),
  service('ns', 'web-api', '10.96.0.2', { ports: [{ port: 80 }, { name: 'dns-udp', port: 53, protocol: 'UDP' }] }),
  service('ns', 'headless', 'None'),
  service('other', 'db', '10.96.0.3'),
];

it('has the services of the namespace and the API server', () => {
  expect(Object.fromEntries(serviceEnvironment(services, 'ns', true))).toEqual({
    KUBERNETES_SERVICE_HOST: '10.96.0.1',
    KUBERNETES_SERVICE_PORT: '443',
    KUBERNETES_SERVICE_PORT_HTTPS: '443',
    KUBERNETES_PORT: 'tcp://10.96.0.1:443',
    KUBERNETES_PORT_443_TCP: 'tcp://10.96.0.1:443',
    KUBERNETES_PORT_443_TCP_PROTO: 'tcp',
    KUBERNETES_PORT_443_TCP_PORT: '443',
    KUBERNETES_PORT_443_TCP_ADDR: '10.96.0.1',
    WEB_API_SERVICE_HOST: '10.96.0.2',
    WEB_API_SERVICE_PORT: '80',
    WEB_API_SERVICE_PORT_DNS_UDP: '53',
    WEB_API_PORT: 'tcp://10.96.0.2:80',
    WEB_API_PORT_80_TCP: 'tcp://10.96.0.2:80',
    WEB_API_PORT_80_TCP_PROTO: 'tcp',
    WEB_API_PORT_80_TCP_PORT: '80',
    WEB_API_PORT_80_TCP_ADDR: '10.96.0.2',
    WEB_API_PORT_53_UDP: 'udp://10.96.0.2:53',
    WEB_API_PORT_53_UDP_PROTO: 'udp',
    WEB_API_PORT_53_UDP_PORT: '53',
    WEB_API_PORT_53_UDP_ADDR: '10.96.0.2',
  });
});

it('has only the API server if service links are disabled', () => {
  const names = [...serviceEnvironment(services, 'ns', false).keys()];
  expect(names.every((name) => name.startsWith('KUBERNETES_'))).toBe(true);
  expect(names).toContain('KUBERNETES_SERVICE_HOST');
});
