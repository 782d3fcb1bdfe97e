import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer } from '../../../test/test-server.ts';
import type { ApiServer } from '../../server/api-server.ts';
import { mutatingBinding, mutatingPolicy, validatingBinding, validatingPolicy } from './policies.test-data.ts';

type Answer = Record<string, unknown> & { readonly code?: number; readonly message?: string };

let server: ApiServer;
beforeAll(async () => {
  ({ server } = await startTestServer({}, { authorizationModes: ['AlwaysAllow'], policyTypeChecking: true }));
});
afterAll(() => server.stop());

async function send(method: string, url: string, object?: object): Promise<Answer> {
  const transport = server.transport({ username: 'admin', groups: ['system:masters'] });
  const { body } = await transport({
    method,
    url,
    headers: { 'content-type': 'application/json' },
    ...(object && { body: Buffer.from(JSON.stringify(object)) }),
  });
  return JSON.parse(body instanceof Uint8Array ? Buffer.from(body).toString() : '{}');
}

const root = '/apis/admissionregistration.k8s.io/v1';
const configMaps = '/api/v1/namespaces/default/configmaps';
const named = (name: string) => ({
  matchConstraints: {
    resourceRules: [
      {
        apiGroups: [''],
        apiVersions: ['v1'],
        operations: ['CREATE'],
        resources: ['configmaps'],
        resourceNames: [name],
      },
    ],
  },
});
const configMap = (name: string, more: object = {}) => ({ metadata: { name }, ...more });

/** Polls until the result is not undefined, as the server works in the background. */
async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('a server with policies', () => {
  it('reports type errors of expressions in the status, also for custom resources', async () => {
    await send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'things.example.com' },
      spec: {
        group: 'example.com',
        names: { plural: 'things', kind: 'Thing' },
        scope: 'Namespaced',
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: { when: { type: 'string', format: 'date-time' }, size: { type: 'integer' } },
              },
            },
          },
        ],
      },
    });
    const rule = { apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['*'], resources: ['things'] };
    await until(async () => ((await send('GET', '/apis/example.com/v1/things')).code ? undefined : true));
    const made = await send(
      'POST',
      `${root}/validatingadmissionpolicies`,
      validatingPolicy('typed', {
        matchConstraints: { resourceRules: [rule] },
        validations: [
          { expression: 'object.when > timestamp("2020-01-01T00:00:00Z") && object.metadata.labels.a == "b"' },
          { expression: 'object.size == "x"' },
        ],
      }),
    );
    expect(made.status).toEqual({});
    const { status, metadata } = await until(async () => {
      const found = await send('GET', `${root}/validatingadmissionpolicies/typed`);
      return Object.keys(found.status as object).length > 0 ? found : undefined;
    });
    expect(status).toEqual({
      observedGeneration: 1,
      typeChecking: {
        expressionWarnings: [
          {
            fieldRef: 'spec.validations[1].expression',
            warning:
              "example.com/v1, Kind=Thing: ERROR: <input>:1:13: found no matching overload for '_==_' applied to '(int, string)'\n | object.size == \"x\"\n | ............^\n",
          },
        ],
      },
    });
    const { managedFields } = metadata as {
      managedFields: { manager: string; operation: string; subresource: string }[];
    };
    expect(
      managedFields.map(({ manager, operation, subresource }) => [manager, operation, subresource]),
    ).toContainEqual(['validatingadmissionpolicy-status', 'Apply', 'status']);
  });

  it('serves other requests during a long evaluation', async () => {
    const dear = 'lists.range(90).all(x, lists.range(90).all(y, lists.range(90).all(z, x + y + z >= 0)))';
    await send(
      'POST',
      `${root}/validatingadmissionpolicies`,
      validatingPolicy('dear', {
        ...named('dear'),
        validations: Array.from({ length: 3 }, () => ({ expression: dear })),
      }),
    );
    await send('POST', `${root}/validatingadmissionpolicybindings`, validatingBinding('dear'));
    const order: string[] = [];
    const slow = send('POST', configMaps, configMap('dear')).then((answer) => {
      order.push('dear');
      return answer;
    });
    for (let i = 0; i < 3; i++) {
      await send('GET', `${configMaps}/none`);
      order.push('quick');
    }
    expect((await slow).message).toContain('operation cancelled: actual cost limit exceeded');
    expect(order).toEqual(['quick', 'quick', 'quick', 'dear']);
  });

  const hostile: Readonly<Record<string, string>> = {
    'a list that grows exponentially':
      'lists.range(40).map(x, x).all(x, [[1, 2].map(a, [1, 2].map(b, [1, 2]))].size() > 0) && ("x".matches("(x+x+)+y") || true) && false',
    'a pattern with catastrophic backtracking':
      '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa".matches("^(a+)+$") && false',
    'a growing string': '["x"].map(a, a.replace("x", "xxxxxxxxxx")).map(a, a.replace("x", a)).exists(a, a == "y")',
    'an expression with deeply nested parentheses': `${'('.repeat(200)}false${')'.repeat(200)}`,
  };
  for (const [sentence, expression] of Object.entries(hostile))
    it(`is not harmed by ${sentence}`, async () => {
      const name = sentence.replaceAll(' ', '-');
      const made = await send(
        'POST',
        `${root}/validatingadmissionpolicies`,
        validatingPolicy(name, { ...named(name), validations: [{ expression }] }),
      );
      await send('POST', `${root}/validatingadmissionpolicybindings`, validatingBinding(name));
      const answer = await send('POST', configMaps, configMap(name));
      // Either validation rejects the policy, or the policy rejects the object.
      expect([made.code, answer.code]).toContain(422);
      expect((await send('GET', `${configMaps}/none`)).code).toBe(404);
    });

  it('rejects a patch that makes an object too large', async () => {
    const grown = 'lists.range(40).map(i, JSONPatch{op: "copy", from: "/data", path: "/data/x" + string(i)})';
    await send(
      'POST',
      `${root}/mutatingadmissionpolicies`,
      mutatingPolicy('grown', {
        ...named('grown'),
        reinvocationPolicy: 'Never',
        mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: grown } }],
      }),
    );
    await send('POST', `${root}/mutatingadmissionpolicybindings`, mutatingBinding('grown'));
    const answer = await send('POST', configMaps, configMap('grown', { data: { a: 'x'.repeat(1000) } }));
    expect(answer.message).toMatch(
      /^policy 'grown' with binding 'grown' denied request: JSON Patch: Unable to complete the copy, the accumulated size increase of copy is \d+, exceeding the limit 3145728$/,
    );
  });
});
