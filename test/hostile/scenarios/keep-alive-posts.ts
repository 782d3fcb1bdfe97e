import { Agent, request } from 'node:https';
import { loadRestConfig } from '@coxswain/client/kubeconfig';
import type { Contender, RunningServer } from '../contender.ts';
import type { Finding, Scenario } from '../scenario.ts';

const posts = 480;
const ruleBytes = 20_000;

/** Large requests with large responses, one after the other on the same connection. */
export const keepAlivePosts: Scenario = {
  name: 'keep-alive-posts',
  what: `${posts} dry runs of a CRD with a rule of ${ruleBytes / 1000} KB, over HTTP/1.1 on one connection`,
  needs: 'address',
  async run(contender: Contender): Promise<readonly Finding[]> {
    const server = await contender.start();
    const { tls, headers } = await administratorOf(server);
    const agent = new Agent({ ...tls, keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
    const body = Buffer.from(JSON.stringify(definition()));
    const statuses = new Map<string, number>();
    try {
      for (let i = 0; i < posts; i++) {
        const status = await post(server, agent, headers, body).catch((error: Error) => error.message);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    } finally {
      agent.destroy();
    }
    const value = [...statuses].map(([status, count]) => `${count}× ${status}`).join(', ');
    return [{ measure: 'answers', value, ok: statuses.get('201') === posts }];
  },
};

function post(
  { host, port }: RunningServer,
  agent: Agent,
  authorization: Readonly<Record<string, string>>,
  body: Buffer,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All';
    const headers = { ...authorization, 'content-type': 'application/json', 'content-length': body.length };
    const asked = request({ host, port, method: 'POST', path, headers, agent });
    asked.on('response', (response) => response.resume().once('end', () => resolve(String(response.statusCode))));
    asked.on('error', reject).end(body);
  });
}

async function administratorOf({ kubeconfig }: RunningServer) {
  const { credentials } = await loadRestConfig({ path: kubeconfig });
  const { token, clientCertificate } = (await credentials?.current()) ?? {};
  return {
    tls: { ...(clientCertificate && { cert: clientCertificate.certificate, key: clientCertificate.key }) },
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }) },
  };
}

/** Returns a large definition, which a server has to read completely and sends back. */
function definition(): object {
  const rule = `self.size() < 10 || ${'self.size() >= 0 || '.repeat(ruleBytes / 20 - 1)}true`;
  const names = { plural: 'boats', singular: 'boat', kind: 'Boat', listKind: 'BoatList' };
  const spec = { type: 'string', maxLength: 10, 'x-kubernetes-validations': [{ rule }] };
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'boats.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names,
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}
