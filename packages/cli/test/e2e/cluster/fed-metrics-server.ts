import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { issueKeyPair } from '@coxswain/client/x509';

const dayMs = 86_400_000;
const groupVersion = 'metrics.k8s.io/v1beta1';

/** An API server of metrics.k8s.io that returns the values set by a test: the CPU use of pods. */
export class FedMetricsServer {
  /** CPU quantities by `namespace/name`. */
  readonly cpu = new Map<string, string>();
  readonly #server: Server;
  readonly #certificatePem: string;

  private constructor(server: Server, certificatePem: string) {
    this.#server = server;
    this.#certificatePem = certificatePem;
    server.on('request', ({ url = '' }, response) => {
      const answer = this.#answer(new URL(url, 'https://metrics').pathname);
      response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? {}));
    });
  }

  static async start(): Promise<FedMetricsServer> {
    const pair = issueKeyPair({
      commonName: 'metrics',
      dnsNames: ['metrics.kube-system.svc'],
      usages: ['serverAuth'],
      notBefore: new Date(Date.now() - dayMs),
      notAfter: new Date(Date.now() + dayMs),
    });
    const server = createServer({ cert: pair.certificatePem, key: pair.keyPem });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FedMetricsServer(server, pair.certificatePem);
  }

  /** The manifests of its Service and APIService. */
  get manifest(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `
apiVersion: v1
kind: Service
metadata: {name: metrics, namespace: kube-system}
spec: {type: ExternalName, externalName: localhost}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1beta1.metrics.k8s.io}
spec:
  group: metrics.k8s.io
  version: v1beta1
  groupPriorityMinimum: 100
  versionPriority: 100
  caBundle: ${Buffer.from(this.#certificatePem).toString('base64')}
  service: {namespace: kube-system, name: metrics, port: ${port}}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #answer(path: string): object | undefined {
    const [, , , , , namespace, resource] = path.split('/');
    if (namespace === undefined) {
      const verbs = ['get', 'list'];
      const resources = [{ name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs }];
      return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
    }
    if (resource !== 'pods') return undefined;
    const items = [...this.cpu].flatMap(([key, cpu]) => {
      const [of, name] = key.split('/');
      if (of !== namespace) return [];
      const containers = [{ name: 'web', usage: { cpu, memory: '10Mi' } }];
      return { metadata: { name, namespace, labels: { app: 'web' } }, ...measured(), containers };
    });
    return { kind: 'PodMetricsList', apiVersion: groupVersion, metadata: {}, items };
  }
}

const measured = () => ({ timestamp: timeFromDate(new Date()), window: '1s' });
