import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type AdmissionAttributes, AdmissionChain } from '../../src/admission/admission.ts';
import type { ApiServer } from '../../src/server/api-server.ts';
import { inProcessCaller } from './caller.ts';
import { startTestServer, tokens } from './test-server.ts';

let server: ApiServer;
beforeAll(async () => {
  server = await startTestServer('plain');
});
afterAll(async () => {
  vi.restoreAllMocks();
  await server.stop();
});

/** Formats attributes as the policy on the real server did. */
const shown = (of: AdmissionAttributes): string => {
  const { operation, kind, resource, subresource, name, namespace, object, oldObject, dryRun, options, user } = of;
  return [
    operation,
    `${kind.group}/${kind.version}`,
    kind.kind,
    `${resource.resource}/${subresource}`,
    `name=${name.replace(/^g-.{5}$/, 'g-NAMED')}`,
    `ns=${namespace}`,
    `obj=${object !== undefined}`,
    `old=${oldObject !== undefined}`,
    `dry=${dryRun}`,
    `options=${options?.kind ?? ''}`,
    `user=${user.username}`,
  ].join(' ');
};

const merge = 'application/merge-patch+json';
const apply = 'application/apply-patch+yaml';
const inNamespace = '/api/v1/namespaces/attr';
const scale = '/apis/apps/v1/namespaces/attr/deployments/d/scale';
const pod = (name: string) => ({ metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }] } });
const binding = (name: string) => ({ metadata: { name }, target: { kind: 'Node', name: 'n' } });
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
const labels = { a: 'b' };

type Sent = readonly [request: string, sees: string[], body?: object, contentType?: string];

/** Requests, in order, and the admission attributes of each, recorded from the real server. */
const exchange: readonly Sent[] = [
  [
    `POST ${inNamespace}/configmaps`,
    ['CREATE /v1 ConfigMap configmaps/ name=a ns=attr obj=true old=false dry=false options=CreateOptions user=admin'],
    configMap('a'),
  ],
  [
    `POST ${inNamespace}/configmaps`,
    [
      'CREATE /v1 ConfigMap configmaps/ name=g-NAMED ns=attr obj=true old=false dry=false options=CreateOptions user=admin',
    ],
    { metadata: { generateName: 'g-' } },
  ],
  [
    `POST ${inNamespace}/configmaps?dryRun=All`,
    ['CREATE /v1 ConfigMap configmaps/ name=d ns=attr obj=true old=false dry=true options=CreateOptions user=admin'],
    configMap('d'),
  ],
  [
    `PUT ${inNamespace}/configmaps/a`,
    ['UPDATE /v1 ConfigMap configmaps/ name=a ns=attr obj=true old=true dry=false options=UpdateOptions user=admin'],
    { ...configMap('a'), data: { a: 'b' } },
  ],
  [`PUT ${inNamespace}/configmaps/lost`, [], configMap('lost')],
  [
    `PATCH ${inNamespace}/configmaps/a`,
    ['UPDATE /v1 ConfigMap configmaps/ name=a ns=attr obj=true old=true dry=false options=UpdateOptions user=admin'],
    { data: { c: 'd' } },
    merge,
  ],
  [
    `PATCH ${inNamespace}/configmaps/a?fieldManager=x&force=true`,
    ['UPDATE /v1 ConfigMap configmaps/ name=a ns=attr obj=true old=true dry=false options=UpdateOptions user=admin'],
    { ...configMap('a'), data: { c: 'e' } },
    apply,
  ],
  [
    `PATCH ${inNamespace}/configmaps/applied?fieldManager=x`,
    [
      'CREATE /v1 ConfigMap configmaps/ name=applied ns=attr obj=true old=false dry=false options=CreateOptions user=admin',
    ],
    configMap('applied'),
    apply,
  ],
  [
    `DELETE ${inNamespace}/configmaps/a?dryRun=All`,
    ['DELETE /v1 ConfigMap configmaps/ name=a ns=attr obj=false old=true dry=true options=DeleteOptions user=admin'],
  ],
  [
    `DELETE ${inNamespace}/configmaps/a`,
    ['DELETE /v1 ConfigMap configmaps/ name=a ns=attr obj=false old=true dry=false options=DeleteOptions user=admin'],
  ],
  [
    `DELETE ${inNamespace}/configmaps`,
    Array(2).fill(
      'DELETE /v1 ConfigMap configmaps/ name= ns=attr obj=false old=true dry=false options=DeleteOptions user=admin',
    ),
  ],
  [
    `POST ${inNamespace}/pods`,
    ['CREATE /v1 Pod pods/ name=p ns=attr obj=true old=false dry=false options=CreateOptions user=admin'],
    pod('p'),
  ],
  [
    `PATCH ${inNamespace}/pods/p/status`,
    ['UPDATE /v1 Pod pods/status name=p ns=attr obj=true old=true dry=false options=UpdateOptions user=admin'],
    { status: { message: 'x' } },
    merge,
  ],
  [
    `POST ${inNamespace}/pods/p/binding`,
    ['CREATE /v1 Binding pods/binding name=p ns=attr obj=true old=false dry=false options=CreateOptions user=admin'],
    binding('p'),
  ],
  [
    `POST ${inNamespace}/pods`,
    ['CREATE /v1 Pod pods/ name=q ns=attr obj=true old=false dry=false options=CreateOptions user=admin'],
    pod('q'),
  ],
  [
    `POST ${inNamespace}/bindings`,
    ['CREATE /v1 Binding bindings/ name=q ns=attr obj=true old=false dry=false options=CreateOptions user=admin'],
    binding('q'),
  ],
  [
    `PATCH ${inNamespace}/pods/p/ephemeralcontainers`,
    [
      'UPDATE /v1 Pod pods/ephemeralcontainers name=p ns=attr obj=true old=true dry=false options=UpdateOptions user=admin',
    ],
    { spec: { ephemeralContainers: [{ name: 'e', image: 'i' }] } },
    merge,
  ],
  [
    `POST ${inNamespace}/pods/p/eviction?dryRun=All`,
    [
      'CREATE policy/v1 Eviction pods/eviction name=p ns=attr obj=true old=false dry=true options=CreateOptions user=admin',
    ],
    { metadata: { name: 'p' } },
  ],
  [
    `POST ${inNamespace}/pods/p/exec?command=ls&container=c`,
    ['CONNECT /v1 PodExecOptions pods/exec name=p ns=attr obj=true old=false dry=false options= user=admin'],
  ],
  [
    `POST ${inNamespace}/pods/p/attach`,
    ['CONNECT /v1 PodAttachOptions pods/attach name=p ns=attr obj=true old=false dry=false options= user=admin'],
  ],
  [
    `POST ${inNamespace}/pods/p/portforward?ports=1`,
    [
      'CONNECT /v1 PodPortForwardOptions pods/portforward name=p ns=attr obj=true old=false dry=false options= user=admin',
    ],
  ],
  [
    `GET ${inNamespace}/pods/p/proxy/x`,
    ['CONNECT /v1 PodProxyOptions pods/proxy name=p ns=attr obj=true old=false dry=false options= user=admin'],
  ],
  [`GET ${inNamespace}/pods/p/log`, []],
  [
    `GET ${inNamespace}/services/s/proxy/x`,
    ['CONNECT /v1 ServiceProxyOptions services/proxy name=s ns=attr obj=true old=false dry=false options= user=admin'],
  ],
  [
    `POST ${inNamespace}/serviceaccounts/default/token`,
    [
      'CREATE authentication.k8s.io/v1 TokenRequest serviceaccounts/token name=default ns=attr obj=true old=false dry=false options=CreateOptions user=admin',
    ],
    { spec: {} },
  ],
  [
    'POST /apis/apps/v1/namespaces/attr/deployments',
    [
      'CREATE apps/v1 Deployment deployments/ name=d ns=attr obj=true old=false dry=false options=CreateOptions user=admin',
    ],
    {
      metadata: { name: 'd' },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod('').spec } },
    },
  ],
  [
    `PATCH ${scale}`,
    [
      'UPDATE autoscaling/v1 Scale deployments/scale name=d ns=attr obj=true old=true dry=false options=UpdateOptions user=admin',
    ],
    { spec: { replicas: 2 } },
    merge,
  ],
  [
    `PUT ${scale}`,
    [
      'UPDATE autoscaling/v1 Scale deployments/scale name=d ns=attr obj=true old=true dry=false options=UpdateOptions user=admin',
    ],
    { metadata: { name: 'd' }, spec: { replicas: 3 } },
  ],
  [
    `PATCH ${inNamespace}`,
    ['UPDATE /v1 Namespace namespaces/ name=attr ns=attr obj=true old=true dry=false options=UpdateOptions user=admin'],
    { metadata: { annotations: { a: 'b' } } },
    merge,
  ],
  [
    `PATCH ${inNamespace}/status`,
    [
      'UPDATE /v1 Namespace namespaces/status name=attr ns=attr obj=true old=true dry=false options=UpdateOptions user=admin',
    ],
    { metadata: { annotations: { a: 'c' } } },
    merge,
  ],
  [
    `DELETE ${inNamespace}?dryRun=All`,
    ['DELETE /v1 Namespace namespaces/ name=attr ns=attr obj=false old=true dry=true options=DeleteOptions user=admin'],
  ],
  [
    'POST /api/v1/namespaces',
    [
      'CREATE /v1 Namespace namespaces/ name=more ns=more obj=true old=false dry=false options=CreateOptions user=admin',
    ],
    { metadata: { name: 'more' } },
  ],
  [
    `DELETE ${inNamespace}/pods/p`,
    ['DELETE /v1 Pod pods/ name=p ns=attr obj=false old=true dry=false options=DeleteOptions user=admin'],
  ],
];

it('the admission attributes of every write are the same as on the real server', async () => {
  const call = inProcessCaller(server.transport());
  const send = async (request: string, body?: object, contentType = 'application/json'): Promise<void> => {
    const [method = '', url = ''] = request.split(' ');
    const headers = { authorization: `Bearer ${tokens.admin}`, 'content-type': contentType };
    const bytes = body && Buffer.from(JSON.stringify(body));
    const { body: answer } = await call(
      { method, url, headers, ...(bytes && { body: bytes }) },
      new AbortController().signal,
    );
    for await (const _ of answer);
  };
  await send('POST /api/v1/namespaces', { metadata: { name: 'attr' } });
  await send(`POST ${inNamespace}/serviceaccounts`, { metadata: { name: 'default' } });
  const validate = vi.spyOn(AdmissionChain.prototype, 'validate');
  const seen: [string, string[]][] = [];
  for (const [request, , body, contentType] of exchange) {
    validate.mockClear();
    await send(request, body, contentType);
    seen.push([request, validate.mock.calls.map(([attributes]) => shown(attributes))]);
  }
  expect(seen).toEqual(exchange.map(([request, sees]) => [request, sees]));
});
