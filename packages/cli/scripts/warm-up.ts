import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const configMaps = '/api/v1/namespaces/default/configmaps';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** The first requests of most users. The code they need is compiled and cached. */
const firstSteps: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['GET', '/apis'],
  ['POST', configMaps, { metadata: { name: 'a' }, data: { k: 'v' } }],
  ['PATCH', `${configMaps}/a`, { data: { k: 'w' } }],
  ['GET', configMaps],
  ['DELETE', `${configMaps}/a`],
  [
    'POST',
    definitions,
    {
      metadata: { name: 'warmths.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'warmths', kind: 'Warmth' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  spec: {
                    type: 'object',
                    properties: {
                      degrees: { type: 'integer', default: 20 },
                      names: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 10 } },
                    },
                    'x-kubernetes-validations': [
                      { rule: "self.degrees > 0 && (!has(self.names) || self.names.all(n, n.matches('^[a-z]+$')))" },
                    ],
                  },
                },
              },
            },
          },
        ],
      },
    },
  ],
  [
    'POST',
    '/apis/example.com/v1/namespaces/default/warmths',
    { apiVersion: 'example.com/v1', kind: 'Warmth', metadata: { name: 'a' }, spec: { names: ['x'] } },
  ],
];

/**
 * Starts an API server once and sends it the first requests of most users, so that the compiled code they need is
 * cached with the bundle. Throws when the server does not start, or rejects a request.
 */
export async function warmUp(cox: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'cox-build-'));
  const tokens = join(directory, 'tokens.csv');
  await writeFile(tokens, 'warm,warm,warm,system:masters\n');
  const place = [
    `--data-dir=${directory}`,
    '--secure-port=0',
    '--bind-address=127.0.0.1',
    `--token-auth-file=${tokens}`,
  ];
  const server = spawn(process.execPath, [cox, 'apiserver', ...place], { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(server, 'exit');
  let said = '';
  server.stderr.on('data', (text) => {
    said += text;
  });
  try {
    const [line] = await Promise.race([
      once(server.stdout, 'data'),
      exited.then(() => Promise.reject(new Error(`the bundled API server did not start:\n${said}`))),
    ]);
    const port = Number(/:(\d+),/.exec(String(line))?.[1]);
    for (const step of firstSteps) await send(port, step);
    server.kill();
    const [status] = await exited;
    if (status !== 0) throw new Error(`the bundled API server did not stop:\n${said}`);
  } finally {
    server.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  }
}

async function send(port: number, [method, path, body]: (typeof firstSteps)[number]): Promise<void> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const headers = { authorization: 'Bearer warm', 'content-type': type };
  const sent = request({ host: '127.0.0.1', port, method, path, headers, rejectUnauthorized: false });
  sent.end(body && JSON.stringify(body));
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  // A custom resource takes a moment to be served.
  if (response.statusCode === 404) return send(port, [method, path, body]);
  if (response.statusCode >= 300)
    throw new Error(`${method} ${path} was answered with ${response.statusCode}: ${text}`);
}
